import type { LogSource } from '../../contract/workerLogs.ts';
import type { Clock } from '../clock.ts';
import type { LogLine } from '../store/store.ts';
import type { WorkerLogs } from './workerLogs.ts';

/** Where a stream begins: after a timestamp, or with that many lines from before now. */
export type LogStart = { readonly after: string } | { readonly tail: number };

export interface LogStreamOptions {
  readonly workerId: string;
  readonly source?: LogSource | undefined;
  readonly start: LogStart;
}

const HEARTBEAT_MS = 15_000;
const BATCH_LINES = 500;
/** Lines held for a reader that does not keep up; beyond that it reads from the store again. */
const MAX_WAITING_LINES = 1_000;

/**
 * The lines of a worker as server-sent events (interface document, Events): the backfill first, then each line as it comes, and a
 * comment now and then so that a broken connection is noticed. It never ends by itself. A slow reader holds no more than a bounded
 * number of lines: it is served from the store, at its own pace, until it has caught up.
 */
export function logStream(logs: WorkerLogs, clock: Clock, options: LogStreamOptions): ReadableStream<Uint8Array> {
  const { workerId, source, start } = options;
  const encoder = new TextEncoder();
  let waiting: LogLine[] = [];
  let behind = false;
  let cursor = '';
  let wake: (() => void) | undefined;
  let cancelHeartbeat: (() => void) | undefined;
  let stopListening: (() => void) | undefined;

  const beat = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    cancelHeartbeat = clock.after(HEARTBEAT_MS, () => {
      // A reader that does not read needs no proof of life.
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': keep-alive\n\n'));
      beat(controller);
    });
  };

  const onLine = (line: LogLine): void => {
    if (behind || (source !== undefined && line.source !== source)) return;
    waiting.push(line);
    if (waiting.length > MAX_WAITING_LINES) {
      waiting = [];
      behind = true;
    }
    wake?.();
  };

  const nextLines = (): LogLine[] => {
    if (behind) {
      const lines = logs.after(workerId, cursor, { source, limit: BATCH_LINES });
      if (lines.length < BATCH_LINES) behind = false;
      if (lines.length > 0) return lines;
    }
    const lines = waiting;
    waiting = [];
    return lines;
  };

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        // Sent at once, so that headers reach the reader also when there is no line yet.
        controller.enqueue(encoder.encode(': open\n\n'));
        if ('tail' in start) {
          const backfill = start.tail > 0 ? logs.last(workerId, { source, limit: start.tail }) : [];
          cursor = backfill.at(-1)?.ts ?? logs.newest(workerId);
          if (backfill.length > 0) controller.enqueue(encoder.encode(backfill.map(frame).join('')));
        } else {
          cursor = start.after;
          behind = true;
        }
        stopListening = logs.listen(workerId, onLine);
        beat(controller);
      },
      pull: async (controller) => {
        let lines = nextLines();
        while (lines.length === 0) {
          await new Promise<void>((resolve) => (wake = resolve));
          wake = undefined;
          lines = nextLines();
        }
        cursor = lines.at(-1)?.ts ?? cursor;
        controller.enqueue(encoder.encode(lines.map(frame).join('')));
      },
      cancel: () => {
        cancelHeartbeat?.();
        stopListening?.();
      },
    },
    { highWaterMark: 1 },
  );
}

function frame(line: LogLine): string {
  return `id: ${line.ts}\ndata: ${JSON.stringify({ source: line.source, line: line.line, ts: line.ts })}\n\n`;
}
