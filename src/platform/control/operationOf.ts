import type { Operation } from '../../contract/operation.ts';
import { operations, type OperationId } from '../../contract/operations.ts';
import type { routeOperations } from '../../contract/operations/routes.ts';
import { PathTree } from '../http/pathTree.ts';
import { isForWorker } from '../routes/balanced.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';

export type KnownOperation = OperationId | keyof typeof routeOperations;

/** Parts of a request that identify its operation. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
}

const OPERATIONS = new PathTree<OperationId>();
for (const [id, { method, address, path }] of Object.entries<Operation>(operations)) {
  OPERATIONS.add(method, ADDRESS_PATHS[address] + path, id as OperationId);
}

/** Returns the operation of a request; undefined if the API has no such operation. */
export function operationOf(head: RequestHead): KnownOperation | undefined {
  if (isForWorker(head)) return 'callRoute';
  return OPERATIONS.find(head.method ?? '', pathOf(head))?.value;
}

/** Returns the path of a request without its query. */
export function pathOf({ url = '' }: RequestHead): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
