import http from 'node:http';
import https from 'node:https';
import { addressesOf, pinnedTo, PRIVATE_ADDRESS, privateAddressIn, type NameLookup } from '../http/publicHost.ts';

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * Sends a POST request to the public internet, without following redirects. Every address of the host is checked, and the connection uses
 * the checked addresses.
 *
 * @returns the status of the response
 * @throws Error with the code `PRIVATE_ADDRESS`; the error of the lookup or the connection; the signal's reason
 */
export async function publicPost(
  url: URL,
  { headers, body, signal }: Message,
  lookup: NameLookup | undefined,
): Promise<number> {
  const addresses = await untilAborted(addressesOf(url, lookup), signal);
  if (privateAddressIn(addresses) !== undefined) {
    // Accounts read the message, so it does not contain the addresses behind a name.
    const message = `${url.host} has a private address, which only webhooks of the platform's owner may reach`;
    throw Object.assign(new Error(message), { code: PRIVATE_ADDRESS });
  }
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, lookup: pinnedTo(addresses), signal, agent: false };
    const sent = request(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.once('error', reject).end(body);
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
