import type { ApiError } from '../../client/apiError.ts';
import { LogPlace } from '../../client/logPlace.ts';
import type { RequestContext } from '../../client/context.ts';
import type { LogEvent } from '../../contract/workerLogs.ts';
import type { FollowState } from './logFormat.ts';
import type { WorkerAddress } from './model/loggedWorker.ts';

export interface LogSink {
  line(event: LogEvent): void;
  state(state: FollowState): void;
}

/** Number of past lines that the first stream requests, which is enough to show why a worker failed to start. */
const FIRST_TAIL = 1_000;

/**
 * Follows the log of one worker over any number of streams. The follower remembers its place, so a later stream continues with the next
 * line. The later stream can use another address of the same platform.
 */
export class WorkerLogFollower {
  readonly #address: WorkerAddress;
  readonly #sink: LogSink;
  readonly #place = new LogPlace();
  /** Whether a stream was open before. If so, the next stream resumes. */
  #opened = false;
  #current: AbortController | undefined;

  constructor(address: WorkerAddress, sink: LogSink) {
    this.#address = address;
    this.#sink = sink;
  }

  /** Whether the follower is active. A follower that is reconnecting is active. */
  get following(): boolean {
    return this.#current !== undefined;
  }

  /** Follows the log on this platform and closes the stream on the previous one. */
  async follow(context: RequestContext): Promise<void> {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    await this.#open(context, current.signal);
  }

  /** Stops without reporting a state. A later `follow` continues at the same place. */
  stop(): void {
    this.#current?.abort();
    this.#current = undefined;
  }

  async #open(context: RequestContext, signal: AbortSignal): Promise<void> {
    // Loads the event stream code only when the first log is shown.
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
