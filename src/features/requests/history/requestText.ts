import type { ResolvedRequest, HttpBlock } from '../model/httpFile.ts';
import { oneLine } from '../../../text/shownText.ts';
import type { StoredRequest } from './requestHistoryStore.ts';

type Written = Pick<ResolvedRequest, 'name' | 'method' | 'path'> & Partial<Pick<ResolvedRequest, 'headers' | 'body'>>;

/**
 * Returns a request in the syntax of HTTP files.
 *
 * @param endpoint name of the endpoint, or its ID if the name is ambiguous
 */
export function requestText(endpoint: string, { name, method, path, headers = [], body }: Written): string {
  const content = body === undefined ? [] : ['', body.kind === 'file' ? `< ${body.path}` : body.text];
  return `${[
    `### ${oneLine(name ?? '')}`.trimEnd(),
    `${method} {{endpoint:${oneLine(endpoint)}}}${oneLine(path)}`,
    ...headers.map((header) => `${oneLine(header.name)}: ${oneLine(header.value)}`),
    ...content,
  ].join('\n')}\n`;
}

/** Returns how a request file names an endpoint: by its name, or by its ID if the name is not unique or cannot be written. */
export function endpointReference(
  { id, name }: { readonly id: string; readonly name: string },
  all: readonly { readonly name: string }[],
): string {
  const isUnique = all.filter((other) => other.name === name).length === 1;
  return isUnique && !/[{}\s]/.test(name) ? name : id;
}

/** Finds a sent request in the present content of its file: by its name, or else by its method and path. */
export function findInFile<Block extends HttpBlock>(
  blocks: readonly Block[],
  { name, method, path }: Pick<StoredRequest, 'name' | 'method' | 'path'>,
): Block | undefined {
  const candidates = blocks.filter((block) => block.method === method);
  const named = name === undefined ? undefined : blocks.find((block) => block.name === name);
  const [route = ''] = path.split('?');
  return (
    named ??
    candidates.find(({ url }) => url.endsWith(path)) ??
    candidates.find(({ url }) => url.split('?')[0]?.endsWith(route)) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  );
}
