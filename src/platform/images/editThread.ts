import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Clock, pause } from '../time/clock.ts';
import type { EditAnswer, EditRequest } from './imageThread.ts';
import { EditError } from './picture.ts';

/** Maximum CPU time of one edit, in ms. */
export const EDIT_TIME_LIMIT_MS = 60_000;
/** Idle time after which a thread ends to free its memory, in ms. */
const IDLE_MS = 30_000;
/** Heap limit of an edit, in megabytes, excluding its pictures. Decoding a 24-megapixel JPEG uses much of it. */
const MEMORY_MB = 1_024;
/** Minimum interval between checks of a thread's CPU time, in ms. */
const CHECK_INTERVAL_MS = 1_000;

/** Returns the CPU time of a thread, in ms. */
type ProcessorTime = (worker: Worker) => Promise<number>;

/** The entry point is in the same folder as this file, both in the sources and in the bundle. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './imageThread.ts' : './imageThread.js', import.meta.url);

/** A thread that edits one image at a time. It starts on demand, and ends when it is idle or an edit exceeds a limit. */
export class EditThread {
  readonly #clock: Clock;
  readonly #entry: URL;
  readonly #memoryMb: number;
  readonly #processorTime: ProcessorTime;
  #worker: Worker | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(clock: Clock, { entry = ENTRY, memoryMb = MEMORY_MB, processorTime = timeOfThread } = {}) {
    this.#clock = clock;
    this.#entry = entry;
    this.#memoryMb = memoryMb;
    this.#processorTime = processorTime;
  }

  /**
   * @throws EditError if the edit fails, uses more than EDIT_TIME_LIMIT_MS of CPU time, or runs out of memory; the signal's reason if it
   *   is aborted
   */
  async run(request: EditRequest, signal: AbortSignal): Promise<Uint8Array> {
    this.#cancelIdle?.();
    signal.throwIfAborted();
    const answer = await this.#answer((this.#worker ??= this.#start()), request, signal).finally(() => {
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.close());
    });
    if ('image' in answer) return answer.image;
    if ('editError' in answer) throw new EditError(answer.editError);
    throw new Error(`an edit failed: ${answer.unexpectedError}`);
  }

  async close(): Promise<void> {
    this.#cancelIdle?.();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb } });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  async #answer(worker: Worker, request: EditRequest, signal: AbortSignal): Promise<EditAnswer> {
    const ended = new AbortController();
    const stop = { signal: AbortSignal.any([signal, ended.signal]) };
    const exit = once(worker, 'exit', stop).then(() => Promise.reject(new Error('the image-editing thread ended')));
    const message = once(worker, 'message', stop) as Promise<[EditAnswer]>;
    worker.postMessage(request);
    try {
      const [answer] = await Promise.race([message, exit, this.#timeLimit(worker, ended.signal)]);
      return answer;
    } catch (error) {
      void this.close();
      signal.throwIfAborted();
      const isMemory = error instanceof RangeError || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      throw isMemory ? new EditError('the edit needs more memory than is available', { cause: error }) : error;
    } finally {
      ended.abort();
    }
  }

  /**
   * Rejects after the thread has used EDIT_TIME_LIMIT_MS of CPU time. Wall-clock time does not count, because a large picture takes much
   * longer on a busy machine.
   *
   * @param signal ends the checks
   */
  async #timeLimit(worker: Worker, signal: AbortSignal): Promise<never> {
    const before = this.#processorTime(worker);
    for (let left = EDIT_TIME_LIMIT_MS; left > 0;) {
      await pause(this.#clock, Math.max(left, CHECK_INTERVAL_MS), signal);
      signal.throwIfAborted();
      left = EDIT_TIME_LIMIT_MS + (await before) - (await this.#processorTime(worker));
    }
    throw new EditError(`the edit takes longer than ${EDIT_TIME_LIMIT_MS / 1000} s`);
  }
}

/** Returns the CPU time of the thread. Without `Worker#cpuUsage`, returns the CPU time of the process, which is longer. */
async function timeOfThread(worker: Worker): Promise<number> {
  const { user, system } = hasCpuUsage(worker) ? await worker.cpuUsage().catch(() => NO_TIME) : process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of a thread that has not started yet, or has ended. */
const NO_TIME = { user: 0, system: 0 };

const hasCpuUsage = (worker: Partial<Worker>): boolean => worker.cpuUsage !== undefined;
