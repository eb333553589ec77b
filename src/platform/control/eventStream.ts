import type { Clock } from '../time/clock.ts';
import { EventStream } from '../routes/route.ts';

/** Interval of the comments that reveal a broken connection, in ms. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(': keep-alive\n\n');

/** Sends the events of a stream. Calls after the end have no effect. */
export interface EventSender<Event> {
  readonly send: (event: Event) => void;
  /** Ends the stream after the events that were sent. */
  readonly close: () => void;
  /** Ends the stream with an error, which closes the connection. */
  readonly fail: (error: unknown) => void;
}

/**
 * Streams events of the control API, with periodic comments. A caller that has disappeared without closing its connection is noticed by them.
 *
 * @param clock waits in real time
 * @param begin starts to send events, and returns a function that is called once at the end of the stream
 */
export function eventStream<Event>(clock: Clock, begin: (sender: EventSender<Event>) => () => void): EventStream {
  let isOpen = true;
  let cancelHeartbeat = (): void => undefined;
  let onEnd: (() => void) | undefined;
  const end = (): void => {
    isOpen = false;
    cancelHeartbeat();
    onEnd?.();
    onEnd = undefined;
  };
  return new EventStream(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        const beat = (): void => {
          cancelHeartbeat = clock.after(HEARTBEAT_MS, () => {
            controller.enqueue(HEARTBEAT);
            beat();
          });
        };
        const finish = (act: () => void): void => {
          if (!isOpen) return;
          end();
          act();
        };
        beat();
        try {
          const stop = begin({
            send: (event) => {
              if (isOpen) controller.enqueue(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
            },
            close: () => finish(() => controller.close()),
            fail: (error) => finish(() => controller.error(error)),
          });
          // The stream can end before `begin` returns.
          if (isOpen) onEnd = stop;
          else stop();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: end,
    }),
  );
}
