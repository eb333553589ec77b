import type * as z from 'zod';
import type { AnswerOf, BodyOf, Operation, PathParameters, QueryOf } from '../contract/operation.ts';
import { operations, type OperationId, type Operations } from '../contract/operations.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { ConnectionHealth } from './connectionHealth.ts';
import type { Fetch, RequestContext, Wait } from './context.ts';
import { EndpointAddresses } from './endpointAddresses.ts';
import { RateLimits } from './rateLimits.ts';
import { request, type CallOptions, type QueryValue } from './request.ts';

type WithQuery<Row extends Operation> = Row extends { query: z.ZodObject }
  ? { readonly query?: QueryOf<Row> }
  : unknown;
type WithBody<Row extends Operation> = Row extends { body: z.ZodType } ? { readonly body: BodyOf<Row> } : unknown;

/** Path parameters by name, with `query` and `body` if the operation has them. */
export type ArgumentsOf<Row extends Operation> = Readonly<PathParameters<Row['path']>> & WithQuery<Row> & WithBody<Row>;

/** Operations with a JSON response. Event streams have separate functions. */
export type CallableId = {
  [Id in OperationId]: Operations[Id]['success'] extends { events: true } ? never : Id;
}[OperationId];

/** Client with a method for each operation of the table. Methods throw `ApiError`. */
export type Client = {
  readonly [Id in CallableId]: (
    args: ArgumentsOf<Operations[Id]>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Operations[Id]>>;
} & {
  readonly context: RequestContext;
  /** Current rate limits of the connection. */
  readonly rateLimits: RateLimits;
  /** Current rate limits of invocations, which the platform counts separately. */
  readonly invocationLimits: RateLimits;
  /** Whether the calls of the connection succeed. */
  readonly health: ConnectionHealth;
};

export interface ClientOptions {
  readonly connection: Connection;
  /** In VS Code, the global `fetch`, which uses the proxy and the certificates of the user. */
  readonly fetch: Fetch;
  /** Whether the platform returns the same job for submissions with the same key, as a local platform does. Default: false. */
  readonly honorsIdempotencyKeys?: boolean;
  readonly clock?: Clock;
  /** Returns a random number from 0 to 1, which spreads retries over time. */
  readonly random?: () => number;
  /** Called when a call starts to wait for a rate limit. The signal of the call ends the wait. */
  readonly onWait?: (wait: Wait) => void;
}

/** Creates a client for one platform. */
export function createClient(options: ClientOptions): Client {
  const context = contextOf(options);
  const { rateLimits, invocationLimits, health } = context;
  return { ...methods(operations, context), context, rateLimits, invocationLimits, health } as Client;
}

/** Creates the state that all calls of a client share. */
export function contextOf(options: ClientOptions): RequestContext {
  const { connection, fetch, clock = systemClock, random = Math.random, onWait } = options;
  const { honorsIdempotencyKeys = false } = options;
  const state = { rateLimits: new RateLimits(), invocationLimits: new RateLimits(), health: new ConnectionHealth() };
  const addresses = new EndpointAddresses(connection);
  return { connection, fetch, clock, random, ...state, addresses, honorsIdempotencyKeys, onWait };
}

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
