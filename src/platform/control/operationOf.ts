import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../contract/operation.ts';
import { operations, type OperationId } from '../../contract/operations.ts';
import type { routeOperations } from '../../contract/operations/routes.ts';
import { isForWorker } from '../routes/balanced.ts';
import { ADDRESS_PATHS } from '../routes/route.ts';

export type KnownOperation = OperationId | keyof typeof routeOperations;

interface Pattern {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: KnownOperation;
}

/** Paths without parameters first: `image-edit/runsync` is an operation of its own, and looks like one of an endpoint. */
const PATTERNS: readonly Pattern[] = Object.entries<Operation>(operations)
  .map(([id, { method, address, path }]) => ({ id, method, template: ADDRESS_PATHS[address] + path }))
  .sort((a, b) => parametersOf(a.template) - parametersOf(b.template))
  .map(({ id, method, template }) => ({
    method,
    path: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    operation: id as OperationId,
  }));

function parametersOf(template: string): number {
  return template.split('{').length - 1;
}

/** The operation a request is for; undefined for what is none of the interface. */
export function operationOf(incoming: IncomingMessage): KnownOperation | undefined {
  if (isForWorker(incoming)) return 'callRoute';
  const path = pathOf(incoming);
  return PATTERNS.find((pattern) => pattern.method === incoming.method && pattern.path.test(path))?.operation;
}

/** The path of a request, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
