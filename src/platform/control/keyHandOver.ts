import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { AttachmentEvent } from '../../contract/control/control.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { Refusal } from '../domain/refusal.ts';
import { isLoopback } from '../http/loopback.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';

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
function areEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Maximum number of nonces that are waiting for their proof. */
const MAX_NONCES = 100;
const NONCE_MS = 30_000;

/** The platform's side: issues nonces and checks their proofs. */
class KeyHandOver {
  readonly #holder: string;
  /** Time when each nonce was issued, oldest first, on a monotonic clock. */
  readonly #nonces = new Map<string, number>();

  constructor(holder: string) {
    this.#holder = holder;
  }

  nonce(): string {
    const nonce = randomBytes(16).toString('hex');
    this.#nonces.set(nonce, uptimeMs());
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > MAX_NONCES && oldest !== undefined) this.#nonces.delete(oldest);
    return nonce;
  }

  /** Whether the proof matches a recently issued, unused nonce. */
  accepts(nonce: string, proof: string): boolean {
    const since = this.#nonces.get(nonce);
    this.#nonces.delete(nonce);
    if (since === undefined || uptimeMs() - since > NONCE_MS) return false;
    return areEqual(keyRequestProof(this.#holder, nonce), proof);
  }
}

const uptimeMs = (): number => process.uptime() * 1000;

/** Routes without authentication, for callers that verify the platform before they send their key, or have no key yet. */
export function identityRoutes(app: ControlApp, { holder }: ControlServices, apiKey: string): void {
  const handOver = new KeyHandOver(holder);
  const identity = ({ query: { challenge } }: { query: { challenge: string } }) => ({
    pid: process.pid,
    proof: proofOf(holder, challenge),
    nonce: handOver.nonce(),
  });
  controlRoute(app, controlOperations.getIdentity, identity, { open: true });
  controlRoute(
    app,
    controlOperations.handOverKey,
    ({ body: { nonce, proof }, incoming: { socket } }) => {
      if (!isOfThisMachine(socket)) throw new Refusal(403, 'the key is only available to programs on this machine');
      if (!handOver.accepts(nonce, proof)) {
        throw new Refusal(403, 'the proof does not show that the caller can read the lock of the data directory');
      }
      return { apiKey };
    },
    { open: true },
  );
}

/** Whether both ends of the connection are on this machine. */
function isOfThisMachine({ remoteAddress, localAddress }: Socket): boolean {
  if (remoteAddress === undefined) return false;
  return remoteAddress === localAddress || isLoopback(remoteAddress.replace(/^::ffff:/, ''));
}

/** Routes that share the platform with other windows and programs, and stop it for all of them. */
export function sharingRoutes(app: ControlApp, { attachments, stop, realClock }: ControlServices): void {
  controlRoute(app, controlOperations.attach, () => {
    return eventStream<AttachmentEvent>(realClock, ({ send }) => {
      send({ event: 'attached' });
      return attachments.add((reason) => send({ event: 'stopping', reason }));
    });
  });
  controlRoute(app, controlOperations.stopPlatform, () => {
    // Sends the response first, because the stop closes the connection.
    setImmediate(stop);
    return undefined;
  });
}
