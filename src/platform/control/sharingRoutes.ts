import { createHmac } from 'node:crypto';
import type { AttachmentEvent } from '../../contract/control.ts';
import { controlOperations } from '../../contract/operations/control.ts';
import { EventStream } from '../routes/route.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';

/** What shows that one knows the secret of a lock, without telling it. */
export function proofOf(holder: string, challenge: string): string {
  return createHmac('sha256', holder).update(challenge).digest('hex');
}

/** Needs no key: it is asked by those who will not send theirs before they know whom they talk to. */
export function identityRoute(app: ControlApp, { holder }: ControlServices): void {
  const identity = ({ query: { challenge } }: { query: { challenge: string } }) => ({
    pid: process.pid,
    proof: proofOf(holder, challenge),
  });
  controlRoute(app, controlOperations.getIdentity, identity, { open: true });
}

/** Sharing the platform with other windows and programs, and stopping it for all of them. */
export function sharingRoutes(app: ControlApp, { attachments, stop }: ControlServices): void {
  controlRoute(app, controlOperations.attach, () => {
    let leave: (() => void) | undefined;
    return new EventStream(
      new ReadableStream({
        start: (controller) => {
          const tell = (event: AttachmentEvent): void => {
            controller.enqueue(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
          };
          tell({ event: 'attached' });
          leave = attachments.add(() => tell({ event: 'stopping' }));
        },
        cancel: () => leave?.(),
      }),
    );
  });
  controlRoute(app, controlOperations.stopPlatform, () => {
    // Answered first: the answer would not survive the server.
    setImmediate(stop);
    return undefined;
  });
}
