import type { Address } from '../runtimes/runtime.ts';

/** Returns the origin of the HTTP server at an address, such as `http://127.0.0.1:80`. */
export function originOf({ host, port }: Address): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
