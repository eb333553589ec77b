import http from 'node:http';
import https from 'node:https';
import { addressesOf, pinnedTo, PRIVATE_ADDRESS, privateAddressIn, type NameLookup } from './publicHost.ts';

export interface PublicRequestOptions {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Default: the lookup of the system. */
  readonly lookup?: NameLookup | undefined;
  /** True if the host may have private addresses. */
  readonly isTrusted?: boolean | undefined;
}

/**
 * Sends a request to the public internet, without following redirects. Every address of the host is checked, and the connection uses the
 * checked addresses.
 *
 * @throws Error with the code `PRIVATE_ADDRESS` and the address; the error of the lookup or the connection; the signal's reason
 */
export async function publicRequest(url: URL, options: PublicRequestOptions): Promise<http.IncomingMessage> {
  const { method, headers, body, signal, lookup, isTrusted = false } = options;
  const addresses = await untilAborted(addressesOf(url, lookup), signal);
  const address = privateAddressIn(addresses);
  if (address !== undefined && !isTrusted) {
    throw Object.assign(new Error(`${url.host} has a private address`), { code: PRIVATE_ADDRESS, address });
  }
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, lookup: pinnedTo(addresses), signal, agent: false }, resolve);
    sent.once('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error)).end(body);
  });
}

/** Lookups cannot be canceled, so that only the wait for them ends. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
