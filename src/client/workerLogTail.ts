import type { LogEvent, LogSource } from '../contract/workerLogs.ts';
import type { RequestContext } from './context.ts';
import { openWorkerLogStream } from './workerLogStream.ts';

/** Time without a line after which all past lines have arrived, in ms. The stream itself has no end. */
const QUIET_MS = 400;
const LONGEST_MS = 5_000;

export interface WorkerLogTailOptions {
  readonly id: string;
  readonly workerId: string;
  /** Default: both sources. */
  readonly source?: LogSource | undefined;
  /** Maximum number of lines to return. */
  readonly tail: number;
  /** Times in ms since the epoch between which to read all lines, and of which the newest ones are returned. Default: the end of the log. */
  readonly between?: { readonly from: number; readonly to: number };
  readonly signal?: AbortSignal;
}

/**
 * Returns the newest lines of a worker's log, oldest first. Reading ends after `QUIET_MS` without a line, or after `LONGEST_MS`. Returns
 * no lines if the service does not respond.
 *
 * @throws ApiError for 401, 403, and 404
 */
export async function readWorkerLogTail(
  context: RequestContext,
  { id, workerId, source, tail, between, signal }: WorkerLogTailOptions,
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
        ...(source && { source }),
        ...(between ? { since: new Date(Math.max(0, between.from)).toISOString() } : { tail }),
        onOpen: listen,
        onLine: (event) => {
          if (between && Date.parse(event.ts) > between.to) {
            done.abort();
            return;
          }
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

  /** Resolves to true if the time passes before the signal is aborted. */
  function wait(ms: number, until: AbortSignal): Promise<boolean> {
    return context.clock.sleep(ms, until).then(
      () => true,
      () => false,
    );
  }
}
