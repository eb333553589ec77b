import type { ApiError } from '../../client/apiError.ts';
import { LogPlace } from '../../client/logPlace.ts';
import type { RequestContext } from '../../client/context.ts';
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

/**
 * Follows the log of one worker over any number of streams. It keeps its place for as long as it exists, so
 * that a stream opened later, also on another address of the same platform, goes on with exactly the next line.
 */
export class WorkerLogFollower {
  readonly #address: WorkerAddress;
  readonly #sink: LogSink;
  readonly #place = new LogPlace();
  /** Whether a stream was ever open: the next time it opens it resumes. */
  #opened = false;
  #current: AbortController | undefined;

  constructor(address: WorkerAddress, sink: LogSink) {
    this.#address = address;
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
    await this.#open(context, current.signal);
  }

  /** Stops without a word; the place stays. */
  stop(): void {
    this.#current?.abort();
    this.#current = undefined;
  }

  async #open(context: RequestContext, signal: AbortSignal): Promise<void> {
    // The event stream is loaded when the first log is shown.
    const { openWorkerLogStream } = await import('../../client/workerLogStream.ts');
    if (signal.aborted) return;
    const { endpointId, workerId } = this.#address;
    const close = openWorkerLogStream(context, {
      id: endpointId,
      workerId,
      tail: FIRST_TAIL,
      place: this.#place,
      onOpen: () => this.#onOpen(),
      onLine: (event) => this.#sink.line(event),
      onReconnecting: () => this.#sink.state({ kind: 'lost' }),
      onError: (error) => this.#end(error),
    });
    signal.addEventListener('abort', close, { once: true });
  }

  #onOpen(): void {
    this.#sink.state({ kind: this.#opened ? 'resumed' : 'connected' });
    this.#opened = true;
  }

  #end(error: ApiError): void {
    this.stop();
    this.#sink.state({ kind: 'refused', error });
  }
}
