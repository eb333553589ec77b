import type { RequestContext } from '../../../client/context.ts';
import { callAfter } from '../../../client/clock.ts';
import type { LogArchive } from '../archive/logArchive.ts';
import type { ReceivedLine } from '../archive/storedLine.ts';
import { TimeSlice } from '../model/timeSlice.ts';

/** Time without a line after which the platform has sent all lines, in ms. The stream itself has no end. */
const QUIET_MS = 10_000;

/** A time before the first line of any log. */
const BEGINNING = new Date(0).toISOString();

export interface FillOptions {
  readonly signal: AbortSignal;
  /** Called with the number of lines received so far. */
  readonly onProgress?: (lines: number) => void;
}

/**
 * Adds the lines of the platform that come before the first line of an archive. Does nothing if the archive already begins with the first
 * line of the log, or has no line yet. Resolves once the lines are in the archive.
 *
 * @throws ApiError for 401, 403, and 404
 * @throws an error of the file system
 * @throws the reason of the signal
 */
export async function fillEarlierLines(
  context: RequestContext,
  archive: LogArchive,
  options: FillOptions,
): Promise<void> {
  // Two readers of one archive would write the same files.
  for (let other = running.get(archive); other; other = running.get(archive)) await other.catch(() => undefined);
  options.signal.throwIfAborted();
  if (archive.isComplete || archive.count === 0) return;
  const filling = fill(context, archive, options).finally(() => running.delete(archive));
  running.set(archive, filling);
  await filling;
}

const running = new WeakMap<LogArchive, Promise<void>>();

async function fill(context: RequestContext, archive: LogArchive, { signal, onProgress }: FillOptions): Promise<void> {
  const { openWorkerLogStream } = await import('../../../client/workerLogStream.ts');
  signal.throwIfAborted();
  const writer = await archive.addEarlierLines();
  const turns = new TimeSlice();
  let lines = 0;
  let stop: () => void = () => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      let cancelQuiet = () => undefined as void;
      let batch: ReceivedLine[] = [];
      const flush = (): void => {
        lines += batch.length;
        const isDone = writer.take(batch);
        batch = [];
        onProgress?.(lines);
        if (isDone) resolve();
      };
      const restartQuiet = (): void => {
        cancelQuiet();
        cancelQuiet = callAfter(context.clock, QUIET_MS, resolve);
      };
      const { endpointId: id, workerId } = archive.worker;
      const close = openWorkerLogStream(context, {
        ...{ id, workerId, since: BEGINNING },
        beforeChunk: () => writer.pressure() ?? turns.next(),
        onOpen: restartQuiet,
        onReconnecting: () => cancelQuiet(),
        onLine: (event, lineId, data) => {
          if (batch.push({ event, id: lineId, data }) > 1) return;
          restartQuiet();
          queueMicrotask(flush);
        },
        onError: (error) => reject(error),
      });
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        cancelQuiet();
        close();
        signal.removeEventListener('abort', onAbort);
      };
    });
    stop();
    await writer.commit();
  } catch (error) {
    stop();
    await writer.abort();
    throw error as Error;
  }
}
