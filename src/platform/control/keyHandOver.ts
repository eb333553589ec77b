import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * How a platform and a program that wants to share it come to trust each other. Both can read the lock of the data directory, which only
 * its user may, and which holds a secret that is new with each start. First the platform proves that it knows the secret, then the program
 * does, and only then is the key sent. Every process of the user can do this: it keeps the key out of files, not from that user.
 */

/** What shows that one knows the secret of a lock, without telling it. */
export function proofOf(holder: string, challenge: string): string {
  return createHmac('sha256', holder).update(challenge).digest('hex');
}

/** The platform gives a `proofOf` whatever it is sent, so this one is made with a secret that such proofs do not tell. */
export function keyRequestProof(holder: string, nonce: string): string {
  return createHmac('sha256', hash('sha256', `key request ${holder}`))
    .update(nonce)
    .digest('hex');
}

/** By what a lock tells a key without holding it. */
export interface KeyDigest {
  readonly salt: string;
  readonly digest: string;
}

export function digestOfKey(apiKey: string): KeyDigest {
  const salt = randomBytes(16).toString('hex');
  return { salt, digest: digest(salt, apiKey) };
}

export function isKeyOf({ salt, digest: expected }: KeyDigest, apiKey: string): boolean {
  return areEqual(digest(salt, apiKey), expected);
}

const digest = (salt: string, apiKey: string): string => hash('sha256', `${salt}.${apiKey}`);

/** Takes the same time for every wrong text of the right length. */
function areEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** How many requests for the key may be under way. */
const MOST_NONCES = 100;
const NONCE_MS = 30_000;

/** The platform's side: what it has asked to be proven. */
export class KeyHandOver {
  readonly #holder: string;
  /** When each nonce was given out, oldest first, by a clock that only goes forward. */
  readonly #nonces = new Map<string, number>();

  constructor(holder: string) {
    this.#holder = holder;
  }

  nonce(): string {
    const nonce = randomBytes(16).toString('hex');
    this.#nonces.set(nonce, uptimeMs());
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > MOST_NONCES && oldest !== undefined) this.#nonces.delete(oldest);
    return nonce;
  }

  /** Whether the proof is one for a nonce that was given out a short time ago and has not been used. */
  accepts(nonce: string, proof: string): boolean {
    const since = this.#nonces.get(nonce);
    this.#nonces.delete(nonce);
    if (since === undefined || uptimeMs() - since > NONCE_MS) return false;
    return areEqual(keyRequestProof(this.#holder, nonce), proof);
  }
}

const uptimeMs = (): number => process.uptime() * 1000;
