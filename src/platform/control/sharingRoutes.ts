import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { AttachmentEvent } from '../../contract/control/control.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { Refusal } from '../domain/refusal.ts';
import { isLoopback } from '../http/loopback.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';
import { areEqual, keyRequestProof, proofOf } from './keyHandOver.ts';

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
