import type { ApiError, ErrorKind } from '../../client/apiError.ts';
import type { Clock } from '../../client/clock.ts';
import type { RequestContext } from '../../client/request.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import type { FollowState } from './logFormat.ts';

export interface WorkerAddress {
  readonly endpointId: string;
  readonly workerId: string;
}

export interface LogSink {
  line(event: LogEvent): void;
  state(state: FollowState): void;
}

/** Enough to see why a worker's start failed. */
const FIRST_TAIL = 1_000;
const FIRST_RETRY_MS = 3_000;
const LAST_RETRY_MS = 60_000;

/** Refusals that pass by themselves: the service is restarting, or we asked too often. */
const PASSING: readonly ErrorKind[] = ['server', 'rateLimited', 'timeout', 'network'];

/**
 * Follows the log of one worker over any number of streams. It keeps the cursor of the last line for as long as it exists, so
 * that a stream opened later, also on another address of the same platform, goes on with exactly the next line.
 */
export class WorkerLogFollower {
  readonly #address: WorkerAddress;
  readonly #clock: Clock;
  readonly #sink: LogSink;
  #cursor: string | undefined;
  /** Whether a stream was ever open: the next time it opens it resumes. */
  #opened = false;
  /** Something was said about the loss already. */
  #lost = false;
  #current: AbortController | undefined;

  constructor(address: WorkerAddress, clock: Clock, sink: LogSink) {
    this.#address = address;
    this.#clock = clock;
    this.#sink = sink;
  }

  /** Whether it is following, be it while reconnecting. */
  get following(): boolean {
    return this.#current !== undefined;
  }

  /** Follows on this platform from here on, instead of on the one before. */
  async follow(context: RequestContext): Promise<void> {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    await this.#open(context, current.signal, FIRST_RETRY_MS);
  }

  /** Stops without a word; the cursor stays. */
  stop(): void {
    this.#current?.abort();
    this.#current = undefined;
    this.#lost = false;
  }

  async #open(context: RequestContext, signal: AbortSignal, retryAfter: number): Promise<void> {
    // The event stream is loaded when the first log is shown.
    const { openWorkerLogStream } = await import('../../client/workerLogStream.ts');
    if (signal.aborted) return;
    const { endpointId, workerId } = this.#address;
    let nextRetry = retryAfter;
    const close = openWorkerLogStream(context, {
      id: endpointId,
      workerId,
      tail: FIRST_TAIL,
      ...(this.#cursor === undefined ? {} : { lastEventId: this.#cursor }),
      onOpen: () => {
        nextRetry = FIRST_RETRY_MS;
        this.#onOpen();
      },
      onLine: (event, id) => {
        if (id !== '') this.#cursor = id;
        this.#sink.line(event);
      },
      onReconnecting: () => this.#onLost(),
      onError: (error) => {
        if (PASSING.includes(error.kind)) void this.#retry(context, signal, nextRetry);
        else this.#end(error);
      },
    });
    signal.addEventListener('abort', close, { once: true });
  }

  #onOpen(): void {
    this.#sink.state({ kind: this.#opened ? 'resumed' : 'connected' });
    this.#opened = true;
    this.#lost = false;
  }

  #onLost(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#sink.state({ kind: 'lost' });
  }

  async #retry(context: RequestContext, signal: AbortSignal, delay: number): Promise<void> {
    this.#onLost();
    try {
      await this.#clock.sleep(delay, signal);
    } catch {
      return;
    }
    await this.#open(context, signal, Math.min(delay * 2, LAST_RETRY_MS));
  }

  #end(error: ApiError): void {
    this.stop();
    this.#sink.state({ kind: 'refused', error });
  }
}
