import { isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { RateLimits } from '../accounts/rateLimits.ts';
import { missingAccess, type Caller } from '../domain/account.ts';
import { isLoopback } from '../http/loopback.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Admission, WatchAccess } from './services.ts';

/*
 * Access control. The platform listens on the loopback interface by default, but web pages in the developer's browser can reach that too.
 * Checks of the Host and Origin headers prevent DNS rebinding and cross-site requests.
 */

const LOOPBACK = ['127.0.0.1', 'localhost'];
const HTTP_PORT = 80;

/** Parts of a request that name its destination and its origin. */
interface Addressed {
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  readonly socket: Pick<Socket, 'localAddress'>;
}

/**
 * @param publicUrl origin of the proxy through which callers reach the platform, if any
 * @throws Refusal 403 if the Host header names another host, or the Origin header another origin
 */
export function checkHost({ headers: { host = '', origin }, socket }: Addressed, port: number, publicUrl?: URL): void {
  const own = `:${port}`;
  const isOwn = (name: string): boolean => {
    if (publicUrl && isHostOf(publicUrl, name)) return true;
    // Clients omit the default port of HTTP.
    const whole = port === HTTP_PORT && !name.endsWith(own) ? name + own : name;
    if (!whole.endsWith(own) || name.length > 300) return false;
    const bare = whole.slice(0, -own.length).toLowerCase();
    return LOOPBACK.includes(bare) || bare.endsWith('.localhost') || isOwnAddress(bare, socket);
  };
  if (!isOwn(host)) throw new Refusal(403, 'access denied: the Host header does not name this platform');
  if (
    origin !== undefined &&
    origin !== publicUrl?.origin &&
    !(origin.startsWith('http://') && isOwn(origin.slice('http://'.length)))
  ) {
    throw new Refusal(403, 'access denied: the request comes from another origin');
  }
}

/** Whether a Host header names the URL's host. Clients usually omit the default port. */
function isHostOf({ protocol, host, port }: URL, name: string): boolean {
  const defaultPort = protocol === 'https:' ? 443 : HTTP_PORT;
  return name.toLowerCase() === host || (port === '' && name.toLowerCase() === `${host}:${defaultPort}`);
}

/** Returns true for the address of this connection, which DNS cannot rebind. Outside loopback, also allows the machine's name. */
function isOwnAddress(name: string, { localAddress = '' }: Addressed['socket']): boolean {
  const address = localAddress.replace(/^::ffff:/, '');
  if (isLoopback(address)) return name === '[::1]' && address === '::1';
  return name === (isIPv6(address) ? `[${address}]` : address) || name === hostname().toLowerCase();
}

/**
 * Authenticates every request except those of the worker protocol. That protocol has its own secrets, and its Authorization header is
 * never read, because SDKs may send unrelated keys there. Counts every authenticated request, and adds the remaining quota to its
 * response.
 */
export function callerRequired(
  authenticator: Authenticator,
  limits: RateLimits,
  { worker, queue }: Readonly<Record<'worker' | 'queue', string>>,
): (exchange: Exchange) => Admission | undefined | Promise<Admission> {
  return ({ incoming, outgoing, path }) => {
    if (path.startsWith(worker)) return undefined;
    const isQueue = path.startsWith(queue);
    const admit = (caller: Caller): Admission => {
      const headers = limits.count(caller, isQueue ? 'invocations' : 'management');
      for (const [name, value] of Object.entries(headers ?? {})) outgoing.setHeader(name, value);
      return { caller, limits, watch: (onEnd) => authenticator.watch(incoming.headers, caller, onEnd) };
    };
    const identified = authenticator.authenticate(incoming.headers);
    return identified instanceof Promise ? identified.then(admit) : admit(identified);
  };
}

/** @throws Refusal 403 if the caller's key lacks the permission or may not call the endpoint */
export function checkAccess(caller: Caller, permission: string, endpointId?: string): void {
  const missing = missingAccess(caller, permission, endpointId);
  if (missing !== undefined) throw new Refusal(403, missing);
}

/** Passes a stream through until it ends or its caller loses access. Does not read ahead. */
export function whileAdmitted(stream: ReadableStream<Uint8Array>, watch: WatchAccess): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let ended = false;
  let unwatch: (() => void) | undefined;
  const stop = (): Promise<void> => {
    ended = true;
    unwatch?.();
    return reader.cancel();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        unwatch = watch(() => {
          if (ended) return;
          void stop();
          controller.close();
        });
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        // Access may have ended during the read.
        if (ended) return;
        if (!done) {
          controller.enqueue(value);
          return;
        }
        void stop();
        controller.close();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}
