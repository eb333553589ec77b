import type * as z from 'zod';
import type { AnswerOf, BodyOf, Operation, PathParameters, QueryOf } from '../contract/operation.ts';
import type { Operations } from '../contract/operations.ts';
import { CALLABLE_IDS, type CallableId } from './callable.ts';
import { type ConnectionHealth, contextOf, type ClientOptions, type RequestContext } from './context.ts';
import type { apiMethods } from './methods.ts';
import type { RateLimits } from './rateLimits.ts';
import type { CallOptions } from './request.ts';

type WithQuery<Row extends Operation> = Row extends { query: z.ZodObject }
  ? { readonly query?: QueryOf<Row> }
  : unknown;
type WithBody<Row extends Operation> = Row extends { body: z.ZodType } ? { readonly body: BodyOf<Row> } : unknown;

/** Path parameters by name, with `query` and `body` if the operation has them. */
export type ArgumentsOf<Row extends Operation> = Readonly<PathParameters<Row['path']>> & WithQuery<Row> & WithBody<Row>;

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

/** Creates a client for one platform. Its first call loads the operations with their schemas, because an activation needs none of them. */
export function createClient(options: ClientOptions): Client {
  const context = contextOf(options);
  const { rateLimits, invocationLimits, health } = context;
  let loading: Promise<Methods> | undefined;
  const load = () => (loading ??= import('./methods.ts').then(({ apiMethods }) => apiMethods(context)));
  const method =
    (id: CallableId) =>
    async (...args: Parameters<Methods[string]>) =>
      (await load())[id]?.(...args);
  const methods = Object.fromEntries(CALLABLE_IDS.map((id) => [id, method(id)]));
  return { ...methods, context, rateLimits, invocationLimits, health } as unknown as Client;
}

type Methods = ReturnType<typeof apiMethods>;
