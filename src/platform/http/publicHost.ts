import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../machine/images/publicAddress.ts';

/* Addresses of hosts that an account names, which can be those of private networks. */

/** Resolves a host name to all of its addresses. */
export type NameLookup = (name: string) => Promise<LookupAddress[]>;

const allAddresses: NameLookup = (name) => systemLookup(name, { all: true });

/** Code of the error for an address that does not belong to the public internet. */
export const PRIVATE_ADDRESS = 'PRIVATE_ADDRESS';

/** Returns the addresses of the host of a URL. @throws Error if the lookup fails */
export async function addressesOf({ hostname }: URL, lookup = allAddresses): Promise<LookupAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(name);
  return family === 0 ? lookup(name) : [{ address: name, family }];
}

/** Returns an address that does not belong to the public internet, or undefined. */
export function privateAddressIn(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.find(({ address }) => !isPublicAddress(address))?.address;
}

/** Returns a lookup for a connection to checked addresses. A second lookup of the name could return other addresses. */
export function pinnedTo(addresses: LookupAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}
