/**
 * Linux capabilities of a worker that runs as root in its container. Images need them to change the owners of their files, to change to
 * another user, to end processes of that user, and to listen on port 80. Images that run as another user have none.
 *
 * The engines' own defaults contain more, such as NET_RAW, with which a worker can read and forge the traffic of its network.
 */
const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'],
  ...['KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
] as const;

/** Returns the capabilities of workers. @param more those that the owner of the platform allows in addition */
export function workerCapabilities(more: readonly string[] = []): { readonly drop: string[]; readonly add: string[] } {
  return { drop: ['ALL'], add: [...new Set([...CAPABILITIES, ...more])] };
}

/** Pattern of a name without the prefix `CAP_`. */
const NAME = /^[A-Z]+(?:_[A-Z]+)*$/;

/** Reads a list such as `NET_RAW,SYS_CHROOT`. Returns undefined if it is not one. */
export function readCapabilities(text: string): string[] | undefined {
  const names = text.split(',').map((name) => name.replace(/^CAP_/, ''));
  return names.every((name) => NAME.test(name) && name !== 'ALL') ? [...new Set(names)] : undefined;
}
