import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer';

/* The part of `node:crypto` that features use, in a browser. Web Crypto hashes only asynchronously. */

export const randomUUID = (): string => globalThis.crypto.randomUUID();

export function randomBytes(size: number): Buffer {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(size)));
}

/** Returns a random integer from 0 (inclusive) to `limit` (exclusive), each with the same probability. */
export function randomInt(limit: number): number {
  // Numbers of 48 bits, like those of Node.js. Those beyond the last multiple of the limit would prefer small results.
  const bits = 2 ** 48;
  for (;;) {
    const number = randomBytes(6).readUIntBE(0, 6);
    if (number < bits - (bits % limit)) return number % limit;
  }
}

interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(encoding: 'hex'): string;
}

/** @throws Error for other algorithms than SHA-256 */
export function createHash(algorithm: string): Hash {
  if (algorithm !== 'sha256') throw new Error(`The browser build has no hash algorithm ${algorithm}.`);
  const state = sha256.create();
  const hash: Hash = {
    update: (data) => {
      state.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return hash;
    },
    digest: (encoding) => Buffer.from(state.digest()).toString(encoding),
  };
  return hash;
}
