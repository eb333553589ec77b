import * as l10n from '@vscode/l10n';
import { MAX_ROUTE_BYTES } from '../../../contract/route.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { ResolvedRequest } from '../model/httpFile.ts';

/** Files that requests refer to. Paths are relative to the HTTP file. */
export interface RequestFiles {
  /** Size in bytes. @throws Error if there is no such file */
  size(path: string): Promise<number>;
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Body to send. Undefined for a request without a body. */
export type SentBody = string | Uint8Array<ArrayBuffer> | undefined;

/**
 * Returns the body of a request. Reads its file, if it refers to one.
 *
 * @throws UserError if the body cannot be sent or read
 */
export async function readBody(
  { method, body }: Pick<ResolvedRequest, 'method' | 'body'>,
  files: RequestFiles,
): Promise<SentBody> {
  if (!body || (body.kind === 'text' && body.text === '')) return undefined;
  if (method === 'GET') throw new UserError(l10n.t('a GET request cannot have a body'));
  if (body.kind === 'text') {
    refuseTooLarge(l10n.t('the body'), Buffer.byteLength(body.text));
    return body.text;
  }
  const { path } = body;
  const size = await files.size(path).catch(() => {
    throw new UserError(shown`the file ${path} cannot be read. Its path is relative to the request file`);
  });
  refuseTooLarge(shown`the file ${path}`.text, size);
  return files.read(path);
}

function refuseTooLarge(what: string, size: number): void {
  if (size > MAX_ROUTE_BYTES)
    throw new UserError(shown`${what} (${dataSize(size)}) exceeds the limit of ${dataSize(MAX_ROUTE_BYTES)}`);
}

/** Returns the headers to send. A body without a content type has the type of JSON, plain text, or bytes. */
export function sentHeaders(
  headers: readonly { readonly name: string; readonly value: string }[],
  body: SentBody,
): readonly (readonly [string, string])[] {
  const pairs = headers.map(({ name, value }) => [name, value] as const);
  if (body === undefined || pairs.some(([name]) => name.toLowerCase() === 'content-type')) return pairs;
  return [...pairs, ['Content-Type', contentTypeOf(body)] as const];
}

function contentTypeOf(body: string | Uint8Array): string {
  if (typeof body !== 'string') return 'application/octet-stream';
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}
