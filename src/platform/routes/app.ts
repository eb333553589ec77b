import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { RateLimits } from '../accounts/rateLimits.ts';
import type { Caller } from '../domain/account.ts';

interface Environment {
  readonly Bindings: HttpBindings;
  /** Set before every route of the table. */
  readonly Variables: { caller: Caller; limits: RateLimits };
}

export type App = Hono<Environment>;
export type RequestContext = Context<Environment>;
export type Middleware = MiddlewareHandler<Environment>;
