import type { Clock } from '../time/clock.ts';
import type { LogQuery } from '../store/logStore.ts';
import type { WorkerLogs } from './workerLogs.ts';

/** Start of a stream: after a timestamp, or with a number of earlier lines. */
export type LogStart = { readonly after: string } | { readonly tail: number };

const HEARTBEAT_MS = 15_000;
const OPEN = Buffer.from(': open\n\n');
const HEARTBEAT = Buffer.from(': keep-alive\n\n');

/**
 * Streams the lines of a worker as server-sent events: earlier lines first, then new lines as they arrive. Periodic comments reveal a
 * broken connection. The stream never ends by itself. It reads nothing ahead and shares pages with other readers, so a slow
 * reader costs one page of memory and delays no other reader.
 */
export function logStream(
  logs: WorkerLogs,
  clock: Clock,
  query: LogQuery,
  start: LogStart,
): ReadableStream<Uint8Array> {
  // Lines that were written before the request precede its first pause.
  logs.flush(query.workerId);
  let cursor = 'after' in start ? start.after : logs.cursorBefore(query, start.tail);
  let canceled = false;
  let wake: (() => void) | undefined;
  let stopListening: (() => void) | undefined;

  /** A function, because TypeScript would not expect the variable to change while the stream waits. */
  const isCanceled = (): boolean => canceled;

  /** Resolves when there may be new lines, when a heartbeat is due, or when the reader has canceled. */
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
      // Sent at once, so that the reader receives the headers even if there are no lines yet.
      start: (controller) => controller.enqueue(OPEN),
      pull: async (controller) => {
        // Subscribes at the first read, because a HEAD request reads nothing and never cancels.
        stopListening ??= logs.listen(query.workerId, () => wake?.());
        while (!isCanceled()) {
          const turn = logs.turns.step();
          if (turn) await turn;
          if (isCanceled()) return;
          const page = logs.pageAfter(query, cursor);
          if (page) {
            cursor = page.last;
            controller.enqueue(page.bytes);
            return;
          }
          // Skips stored lines of the other source, so that later reads do not scan them again.
          const stored = logs.storedCursor(query.workerId);
          if (stored > cursor) cursor = stored;
          if ((await pause()) === 'heartbeat') {
            controller.enqueue(HEARTBEAT);
            return;
          }
        }
      },
      cancel: () => {
        canceled = true;
        stopListening?.();
        wake?.();
      },
    },
    { highWaterMark: 0 },
  );
}
