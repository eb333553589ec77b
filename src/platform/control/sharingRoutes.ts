import type { Socket } from 'node:net';
import type { AttachmentEvent } from '../../contract/control/control.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { Refusal } from '../domain/refusal.ts';
import { isLoopback } from '../http/loopback.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';
import { KeyHandOver, proofOf } from './keyHandOver.ts';

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
