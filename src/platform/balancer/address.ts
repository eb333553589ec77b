import type { Address } from '../runtimes/runtime.ts';

/** The origin of an HTTP server. */
export function originOf({ host, port }: Address): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
