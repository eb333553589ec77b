import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8, 'ipv4');
OWN.addAddress('0.0.0.0', 'ipv4');
OWN.addAddress('::1', 'ipv6');
OWN.addAddress('::', 'ipv6');

/**
 * Returns options of a connection that refuse the loopback interface. Only programs of this machine can reach it, and containers must not
 * reach it through a proxy.
 *
 * @throws Error with the code `EACCES`; the connection has the same one
 */
export function beyondThisMachine(hostname: string): { readonly lookup: LookupFunction } {
  const check = (address: string): void => {
    if (isIP(address) !== 0 && OWN.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'))
      throw Object.assign(new Error(`${hostname} is this machine`), { code: 'EACCES' });
  };
  check(hostname.replace(/^\[|\]$/g, ''));
  return {
    lookup: (name, options, done) =>
      lookup(name, { ...options, all: true }, (error, found) => {
        try {
          if (error) throw error;
          for (const { address } of found) check(address);
          if (options.all === true) done(null, found);
          else done(null, found[0]?.address ?? '', found[0]?.family);
        } catch (refused) {
          done(refused as NodeJS.ErrnoException, '');
        }
      }),
  };
}
