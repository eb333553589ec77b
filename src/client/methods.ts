import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import type { RequestContext } from './context.ts';
import { request, type CallOptions, type QueryValue } from './request.ts';

/** Creates the methods of a client, for each operation of the API. */
export const apiMethods = (context: RequestContext) => methods(operations, context);

/** Creates a method for each operation of a table with a JSON response. */
export function methods(table: Readonly<Record<string, Operation>>, context: RequestContext) {
  const callable = Object.entries(table).filter(([, { success, bodyType }]) => {
    return success.events === undefined && success.type === undefined && bodyType === undefined;
  });
  return Object.fromEntries(callable.map(([name, row]) => [name, method(name, row, context)]));
}

interface AnyArguments extends Record<string, unknown> {
  readonly query?: Record<string, QueryValue>;
  readonly body?: unknown;
}

function method(name: string, row: Operation, context: RequestContext) {
  return ({ query, body, ...parameters }: AnyArguments, options: CallOptions = {}) =>
    request(name, row, context, { parameters: parameters as Record<string, string>, query, body }, options);
}
