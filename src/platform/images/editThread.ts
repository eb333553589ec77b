import { Worker } from 'node:worker_threads';
import type { Clock } from '../time/clock.ts';
import type { EditRequest } from './edit.ts';
import type { EditAnswer } from './imageThread.ts';
import { EditError } from './pixels/picture.ts';

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
    const worker = (this.#worker ??= this.#start());
    try {
      const answer = await this.#answer(worker, request, signal);
      if ('image' in answer) return answer.image;
      if ('editError' in answer) throw new EditError(answer.editError);
      throw new Error(`an edit failed: ${answer.unexpectedError}`);
    } finally {
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.close());
    }
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

  #answer(worker: Worker, request: EditRequest, signal: AbortSignal): Promise<EditAnswer> {
    return new Promise<EditAnswer>((resolve, reject) => {
      const stop = (reason: Error): void => {
        reject(reason);
        void this.close();
      };
      const onAbort = (): void => stop(signal.reason as Error);
      const onError = (cause: Error & { code?: string }): void => {
        const memory = cause.code === 'ERR_WORKER_OUT_OF_MEMORY' || cause instanceof RangeError;
        stop(memory ? new EditError('the edit needs more memory than is available', { cause }) : cause);
      };
      const onExit = (): void => reject(new Error('the image-editing thread ended'));
      const cancelLimit = this.#afterLimit(worker, () =>
        stop(new EditError(`the edit takes longer than ${EDIT_TIME_LIMIT_MS / 1000} s`)),
      );
      const onMessage = (answer: EditAnswer): void => resolve(answer);
      worker.once('message', onMessage).once('error', onError).once('exit', onExit);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#removeListeners = () => {
        cancelLimit();
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        signal.removeEventListener('abort', onAbort);
      };
      worker.postMessage(request);
    }).finally(() => this.#removeListeners());
  }

  /**
   * Calls `callback` after the thread has used EDIT_TIME_LIMIT_MS of CPU time. Wall-clock time does not count, because a large picture
   * takes much longer on a busy machine.
   */
  #afterLimit(worker: Worker, callback: () => void): () => void {
    let isCanceled = false;
    let cancelWait = (): void => undefined;
    const before = this.#processorTime(worker);
    const check = async (): Promise<void> => {
      const left = EDIT_TIME_LIMIT_MS - (await this.#processorTime(worker)) + (await before);
      if (isCanceled) return;
      if (left <= 0) callback();
      else wait(Math.max(left, CHECK_INTERVAL_MS));
    };
    const wait = (ms: number): void => {
      cancelWait = this.#clock.after(ms, () => void check());
    };
    wait(EDIT_TIME_LIMIT_MS);
    return () => {
      isCanceled = true;
      cancelWait();
    };
  }

  /** Removes the timer and the listeners of the current edit. */
  #removeListeners: () => void = () => undefined;
}

/** Returns the CPU time of the thread. Without `Worker#cpuUsage`, returns the CPU time of the process, which is longer. */
async function timeOfThread(worker: Worker): Promise<number> {
  const { user, system } = hasCpuUsage(worker) ? await worker.cpuUsage().catch(() => NO_TIME) : process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of a thread that has not started yet, or has ended. */
const NO_TIME = { user: 0, system: 0 };

const hasCpuUsage = (worker: Partial<Worker>): boolean => worker.cpuUsage !== undefined;
