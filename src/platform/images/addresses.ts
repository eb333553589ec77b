import ipaddr from 'ipaddr.js';

/**
 * Whether an address belongs to the public internet: not to this machine, a private network, the link, a cloud's metadata service,
 * nor to a range whose addresses stand for others (mapped, translated and tunnelled IPv4).
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
