import type { Clock } from '../time/clock.ts';
import type { LogQuery } from '../store/logStore.ts';
import type { WorkerLogs } from './workerLogs.ts';

/** Where a stream begins: after a timestamp, or with that many lines from before now. */
export type LogStart = { readonly after: string } | { readonly tail: number };

const HEARTBEAT_MS = 15_000;
const OPEN = Buffer.from(': open\n\n');
const HEARTBEAT = Buffer.from(': keep-alive\n\n');

/**
 * The lines of a worker as server-sent events (interface document, Events): those from before first, then each as it comes, and a
 * comment now and then so that a broken connection is noticed. It never ends by itself. Nothing is read ahead of the reader, and
 * what is read is shared with others: a slow reader costs one page, falls behind in the log, and holds up nobody.
 */
export function logStream(
  logs: WorkerLogs,
  clock: Clock,
  query: LogQuery,
  start: LogStart,
): ReadableStream<Uint8Array> {
  let cursor = 'after' in start ? start.after : logs.cursorBefore(query, start.tail);
  let over = false;
  let wake: (() => void) | undefined;
  let stopListening: (() => void) | undefined;

  /** Asked anew after each wait. */
  const isOver = (): boolean => over;

  /** Resolves when there may be new lines, when it is time for a heartbeat, and when the reader is gone. */
  const pause = (): Promise<'heartbeat' | undefined> =>
    new Promise((resolve) => {
      const cancel = clock.after(HEARTBEAT_MS, () => resolve('heartbeat'));
      wake = () => {
        cancel();
        resolve(undefined);
      };
    });

  return new ReadableStream<Uint8Array>(
    {
      // Sent at once, so that headers reach the reader also when there is no line yet.
      start: (controller) => controller.enqueue(OPEN),
      pull: async (controller) => {
        // Not before somebody reads: who asks for the headers only, never cancels.
        stopListening ??= logs.listen(query.workerId, () => wake?.());
        while (!isOver()) {
          const turn = logs.turns.step();
          if (turn) await turn;
          if (isOver()) return;
          const page = logs.pageAfter(query, cursor);
          if (page) {
            cursor = page.last;
            controller.enqueue(page.bytes);
            return;
          }
          // Lines of the other source are passed over once, not each time there are more.
          const stored = logs.storedCursor(query.workerId);
          if (stored > cursor) cursor = stored;
          if ((await pause()) === 'heartbeat') {
            controller.enqueue(HEARTBEAT);
            return;
          }
        }
      },
      cancel: () => {
        over = true;
        stopListening?.();
        wake?.();
      },
    },
    { highWaterMark: 0 },
  );
}
