import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * Mutual authentication of a platform and a program that shares it. Both can read the lock of the data directory, which contains a new
 * secret for each start. Other users cannot read it. First the platform proves that it knows the secret, then the program does. Only then
 * does the platform send the key. The key is never written to a file, but other processes of the same user can also request it.
 */

/** Proves knowledge of a lock's secret without revealing it. */
export function proofOf(holder: string, challenge: string): string {
  return createHmac('sha256', holder).update(challenge).digest('hex');
}

/** Proof in a request for the key. The platform answers any challenge with `proofOf`, so this proof uses a different, derived secret. */
export function keyRequestProof(holder: string, nonce: string): string {
  return createHmac('sha256', hash('sha256', `key request ${holder}`))
    .update(nonce)
    .digest('hex');
}

/** Digest that identifies a key in the lock without revealing it. */
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

/** Compares in constant time, for texts of the same length. */
export function areEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
