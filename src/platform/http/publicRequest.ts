import http from 'node:http';
import https from 'node:https';
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../machine/images/publicAddress.ts';
import { untilAborted } from '../time/clock.ts';

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
  // Lookups cannot be canceled.
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

/* Addresses of hosts that an account names, which can be those of private networks. */

/** Resolves a host name to all of its addresses. */
export type NameLookup = (name: string) => Promise<LookupAddress[]>;

const allAddresses: NameLookup = (name) => systemLookup(name, { all: true });

/** Code of the error for an address that does not belong to the public internet. */
export const PRIVATE_ADDRESS = 'PRIVATE_ADDRESS';

/** Returns the addresses of the host of a URL. @throws Error if the lookup fails */
async function addressesOf({ hostname }: URL, lookup = allAddresses): Promise<LookupAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(name);
  return family === 0 ? lookup(name) : [{ address: name, family }];
}

/** Returns an address that does not belong to the public internet, or undefined. */
function privateAddressIn(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.find(({ address }) => !isPublicAddress(address))?.address;
}

/** Returns a lookup for a connection to checked addresses. A second lookup of the name could return other addresses. */
function pinnedTo(addresses: LookupAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}
