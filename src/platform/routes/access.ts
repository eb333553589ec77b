import { hash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Refusal } from '../domain/refusal.ts';
import { WORKER_PATH } from './errors.ts';

/*
 * Who may call. The platform listens on the loopback interface, but a web page in the developer's browser can reach that too:
 * names and origins that are not ours are refused (against DNS rebinding and cross-site requests).
 */

/** Headers are read from Node's request, which has parsed them already, rather than from a web `Headers` made for the purpose. */
type Guard = MiddlewareHandler<{ Bindings: HttpBindings }>;

interface Addressed {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** @throws Refusal 403 for a request that was addressed to another name, or comes from a page of another origin */
export function checkHost({ host = '', origin }: Addressed, port: number): void {
  const own = `:${port}`;
  const isOwn = (name: string): boolean =>
    [`127.0.0.1${own}`, `localhost${own}`].includes(name) || (name.endsWith(`.localhost${own}`) && name.length < 300);
  if (!isOwn(host)) throw new Refusal(403, 'access denied: the Host header does not name this platform');
  if (origin !== undefined && !(origin.startsWith('http://') && isOwn(origin.slice('http://'.length)))) {
    throw new Refusal(403, 'access denied: requests of other origins are refused');
  }
}

export function ownHostOnly(port: () => number): Guard {
  return async (context, next) => {
    checkHost(context.env.incoming.headers, port());
    await next();
  };
}

/** Checks an Authorization header. @throws Refusal 401 */
export type CheckKey = (authorization: string | undefined, options?: { readonly bareAllowed: boolean }) => void;

export function keyCheck(apiKey: string): CheckKey {
  const expected = digest(apiKey);
  return (authorization, { bareAllowed } = { bareAllowed: false }) => {
    const header = authorization?.trim();
    const bearer = header === undefined ? undefined : /^Bearer +(.*)$/i.exec(header)?.[1];
    const token = bearer ?? (bareAllowed ? header : undefined);
    if (token === undefined || token === '') throw new Refusal(401, 'missing bearer token');
    if (!timingSafeEqual(digest(token), expected)) throw new Refusal(401, 'invalid bearer token');
  };
}

/**
 * Asks for the API key on everything but the worker protocol, which has secrets of its own and whose Authorization header is never
 * looked at: SDKs send keys there that are not ours to see. Queue clients may leave out "Bearer".
 */
export function apiKeyRequired(checkKey: CheckKey, barePrefix: string): Guard {
  return async (context, next) => {
    const { path } = context.req;
    if (!path.startsWith(`${WORKER_PATH}/`)) {
      checkKey(context.env.incoming.headers.authorization, { bareAllowed: path.startsWith(barePrefix) });
    }
    return next();
  };
}

/** Of equal length whatever the key, so that the comparison takes the same time for every guess. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
