import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Caller } from '../domain/account.ts';

interface Environment {
  readonly Bindings: HttpBindings;
  /** Set before every route of the table. */
  readonly Variables: { caller: Caller };
}

export type App = Hono<Environment>;
export type RequestContext = Context<Environment>;
export type Middleware = MiddlewareHandler<Environment>;
