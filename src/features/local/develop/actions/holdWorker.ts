import { callAfter, type Clock } from '../../../../client/clock.ts';
import type { DebugBody, DebugEvent } from '../../../../contract/control/controlWorkers.ts';

/** Opens the stream of a debugged worker. Closing the signal releases the worker. */
export type OpenStream = (body: DebugBody, signal: AbortSignal) => AsyncIterable<DebugEvent>;

/** The worker cannot be debugged. */
export class DebugRefusal extends Error {
  readonly problem: DebugEvent['problem'];

  constructor({ problem, reason }: DebugEvent) {
    super(reason ?? 'the worker has stopped');
    this.name = 'DebugRefusal';
    this.problem = problem;
  }
}

/** Time in ms in which the platform must report the end of a process whose debugger is gone. */
export const PROCESS_END_MS = 10_000;
/** Time in ms in which a debug session must start, with the tasks that precede it. */
export const SESSION_START_MS = 120_000;

/**
 * A worker that a debugger holds. The worker stays while its process is restarted, and its debugger opens again in the next process. It is
 * released by `release`, and if this process ends.
 */
export class WorkerHold {
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  readonly #ended = Promise.withResolvers<Error | undefined>();
  #onReady: (event: DebugEvent) => void;
  #onMatched: (jobId: string) => void = () => undefined;
  #cancelWait: (() => void) | undefined;
  /** Whether the platform has reported the end of a process, and not yet the next one. */
  #restarting = false;

  /**
   * Opens the stream and waits for the debugger.
   *
   * @throws DebugRefusal; ApiError, also for an aborted signal
   */
  static async begin(
    open: OpenStream,
    body: DebugBody,
    { clock, signal }: { clock: Clock; signal: AbortSignal },
  ): Promise<{ readonly hold: WorkerHold; readonly ready: DebugEvent }> {
    const first = Promise.withResolvers<DebugEvent>();
    const hold = new WorkerHold(clock, first.resolve);
    const cancel = (): void => hold.release();
    signal.addEventListener('abort', cancel, { once: true });
    void hold.#follow(open(body, hold.#abort.signal));
    void hold.ended.then((error) => first.reject(error ?? new DebugRefusal({ event: 'ended' })));
    try {
      return { hold, ready: await first.promise };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  private constructor(clock: Clock, onReady: (event: DebugEvent) => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** Resolves once the worker is no longer held, with the error if the reason is one. */
  get ended(): Promise<Error | undefined> {
    return this.#ended.promise;
  }

  /** Sets the callback for the debugger of each further process. */
  set onReady(callback: (event: DebugEvent) => void) {
    this.#onReady = callback;
  }

  /** Sets the callback for each job that meets the condition. */
  set onMatched(callback: (jobId: string) => void) {
    this.#onMatched = callback;
  }

  /**
   * Call it when no debugger is attached, because its process has ended or its session is about to start. Releases the worker unless a
   * debugger attaches, or the platform reports the end of the process, within `ms` milliseconds.
   */
  expectDebugger(ms: number): void {
    if (!this.#restarting) this.#cancelWait ??= callAfter(this.#clock, ms, () => this.release());
  }

  /** Call it when a debugger is attached. */
  keep(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  release(): void {
    this.#abort.abort();
  }

  async #follow(events: AsyncIterable<DebugEvent>): Promise<void> {
    let error: Error | undefined;
    try {
      for await (const event of events) {
        if (event.event === 'matched') {
          this.#onMatched(event.jobId ?? '');
          continue;
        }
        this.keep();
        this.#restarting = event.event === 'waiting';
        if (event.event === 'ready') this.#onReady(event);
        if (event.event === 'failed') error = new DebugRefusal(event);
      }
    } catch (failure) {
      error = failure as Error;
    }
    this.#cancelWait?.();
    this.#ended.resolve(error);
  }
}
