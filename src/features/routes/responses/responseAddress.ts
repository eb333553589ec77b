import { idPart } from '../../../vscode/text/idPart.ts';

/** Scheme of the documents that show responses. */
export const RESPONSE_SCHEME = 'cloud-compute-response';

/** A request that was sent, and the connection that it belongs to. */
export interface ResponseAddress {
  readonly connectionId: string;
  readonly requestId: string;
}

/** Content of a document: the response, the log of a WebSocket, or the exact bytes of a body. */
export type ResponseContent = 'response' | 'log' | 'body';

const SUFFIXES = { response: '.response.http', log: '.websocket.log' } as const;

/** Maximum length of the part of a title that comes from a request, in UTF-16 code units. */
const MAX_TITLE = 60;

/** Returns the path of a document: `/<connection>/<request>/<title>`. */
export function responsePath(
  { connectionId, requestId }: ResponseAddress,
  content: ResponseContent,
  title: string,
  suffix = '',
): string {
  const end = content === 'body' ? `.body.${suffix.replaceAll(/[^a-z0-9]/g, '')}` : SUFFIXES[content];
  return `/${segment(connectionId)}/${segment(requestId)}/${titlePart(title)}${end}`;
}

export function parseResponsePath(path: string): (ResponseAddress & { readonly content: ResponseContent }) | undefined {
  const [, connection, request, end] =
    /^\/([^/.][^/]*)\/([^/.][^/]*)\/[^/]+(\.response\.http|\.websocket\.log|\.body\.[a-z0-9]*)$/.exec(path) ?? [];
  if (connection === undefined || request === undefined || end === undefined) return undefined;
  const content = end === SUFFIXES.response ? 'response' : end === SUFFIXES.log ? 'log' : 'body';
  try {
    return { connectionId: decodeURIComponent(connection), requestId: decodeURIComponent(request), content };
  } catch {
    return undefined;
  }
}

/** Returns the title of a request's documents, such as `GET v1-models`. */
export function titleOf({
  name,
  method,
  path,
}: {
  readonly name?: string | undefined;
  readonly method: string;
  readonly path: string;
}): string {
  return name ?? `${method} ${path.replace(/\?.*$/s, '').replace(/^\/+/, '')}`;
}

/** Encodes an ID. A leading dot would mark an editor file. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E');
}

/** Returns a title as a file name on each operating system. */
function titlePart(title: string): string {
  const safe = title
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replaceAll(/^[-. ]+|[-. ]+$/g, '')
    .slice(0, MAX_TITLE)
    .toWellFormed();
  return safe === '' ? 'response' : safe;
}
