import type { HttpBlock } from '../model/httpFile.ts';
import type { StoredRequest } from './requestHistoryStore.ts';

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
