import type { LogEvent } from '../contract/workerLogs.ts';
import type { RequestContext } from './context.ts';
import { openWorkerLogStream } from './workerLogStream.ts';

/** A stream has no end; what has been written already comes in one go, and then nothing for that long. */
const QUIET_MS = 400;
const LONGEST_MS = 5_000;

/**
 * The newest lines of a worker's log, oldest first (interface document, operation 9): what has come when the stream falls silent, or
 * after five seconds at the latest. Without an answer there are none.
 *
 * @throws ApiError when the service refuses: 401, 403, 404
 */
export async function readWorkerLogTail(
  context: RequestContext,
  { id, workerId, tail, signal }: { id: string; workerId: string; tail: number; signal?: AbortSignal },
): Promise<LogEvent[]> {
  const lines: LogEvent[] = [];
  const done = new AbortController();
  const ended = AbortSignal.any(signal ? [done.signal, signal] : [done.signal]);
  const deadline = wait(LONGEST_MS, ended);
  let quiet = new AbortController();
  const listen = () => {
    quiet.abort();
    quiet = new AbortController();
    void wait(QUIET_MS, AbortSignal.any([ended, quiet.signal])).then((over) => {
      if (over) done.abort();
    });
  };
  let close: () => void = () => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      close = openWorkerLogStream(context, {
        id,
        workerId,
        tail,
        onOpen: listen,
        onLine: (event) => {
          lines.push(event);
          // Drops old lines in batches, so a chatty worker does not use unbounded memory.
          if (lines.length >= 2 * tail) lines.splice(0, lines.length - tail);
          listen();
        },
        onError: reject,
      });
      ended.addEventListener('abort', () => resolve(), { once: true });
      void deadline.then(() => resolve());
    });
    return lines.slice(-tail);
  } finally {
    close();
    done.abort();
  }

  /** Whether that time passed before the signal was aborted. */
  function wait(ms: number, until: AbortSignal): Promise<boolean> {
    return context.clock.sleep(ms, until).then(
      () => true,
      () => false,
    );
  }
}
