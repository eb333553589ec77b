import ipaddr from 'ipaddr.js';

/**
 * Returns true if an address belongs to the public internet. Loopback, private, and link-local addresses do not. Link-local addresses
 * include the metadata services of clouds. Addresses that map, translate, or tunnel IPv4 do not either.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
