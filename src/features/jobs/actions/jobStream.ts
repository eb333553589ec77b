import { ApiError, isTemporary } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { callAfter } from '../../../client/clock.ts';
import type { JobAddress } from '../../../client/followJob.ts';
import { GRACE_MS } from '../../../client/operationTimes.ts';
import { pause } from '../../../client/retry.ts';
import { isTerminal } from '../../../contract/job.ts';

/** Chunks of a job's output in order, an interruption in which chunks may have been lost, or the end after the last chunk. */
export type StreamEvent =
  | { readonly kind: 'chunks'; readonly outputs: readonly unknown[] }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'ended' };

export interface StreamOptions {
  readonly client: Client;
  readonly address: JobAddress;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Time that the platform holds a request without chunks, in ms. */
const WAIT_MS = 10_000;
/** Time in which the rest of a stream is read after the job has ended, in ms. */
const MAX_REST_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 10_000;

/**
 * The stream of one job, from its start to the last chunk. Each chunk is returned by one request only, so a response that is cut can lose
 * chunks. A job without chunks has no events.
 */
export class JobStream {
  readonly #options: StreamOptions;
  readonly #stopped = new AbortController();
  #hasJobEnded = false;
  #hasChunks = false;
  #reading: Promise<void> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Begins to read the chunks, unless they are being read. Resolves once all of them are read, or the stream cannot be read. */
  start(): Promise<void> {
    this.#reading ??= this.#read().then(() => {
      if (this.#hasChunks) this.#options.onEvent({ kind: 'ended' });
    });
    return this.#reading;
  }

  /** Resolves once the rest of the stream of an ended job is read. A failure then ends the stream. */
  async end(): Promise<void> {
    if (!this.#reading) return;
    this.#hasJobEnded = true;
    const stopTimer = callAfter(this.#options.client.context.clock, MAX_REST_MS, () => this.stop());
    await this.#reading;
    stopTimer();
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Sends one request at a time, until the job has ended and all chunks are read, or the stream cannot be read. */
  async #read(): Promise<void> {
    const { client, address, onEvent } = this.#options;
    const { signal } = this.#stopped;
    /** Failed or empty requests in a row. */
    let failures = 0;
    let empty = 0;
    for (;;) {
      try {
        const startedAt = client.context.clock.now();
        const { status, stream } = await client.streamJob(
          { ...address, query: { wait: WAIT_MS } },
          { signal, retries: 0, timeout: WAIT_MS + GRACE_MS },
        );
        failures = 0;
        this.#hasChunks ||= stream.length > 0;
        if (stream.length > 0) onEvent({ kind: 'chunks', outputs: stream.map(({ output }) => output) });
        else if (isTerminal(status)) return;
        const hasWaited = client.context.clock.now() - startedAt >= WAIT_MS / 2;
        empty = stream.length > 0 || hasWaited ? 0 : empty + 1;
        // A platform that does not hold the request would otherwise receive requests without a break.
        if (empty > 0) await pause(client.context, 'streamJob', pauseMs(empty), signal);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (signal.aborted || !isTemporary(error) || this.#hasJobEnded) return;
        if (failures++ === 0 && mayLose(error)) onEvent({ kind: 'interrupted' });
        const ms = Math.max(pauseMs(failures), error.retryAfterMs ?? 0);
        if (!(await hasPaused(client, ms, signal))) return;
      }
    }
  }
}

/** Resolves with false if the signal ends the pause. */
function hasPaused({ context }: Client, ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(context, 'streamJob', ms, signal).then(
    () => true,
    () => false,
  );
}

function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LAST_PAUSE_MS);
}

/** Returns whether the platform may have sent chunks that were not received. */
function mayLose({ kind }: ApiError): boolean {
  return kind === 'network' || kind === 'timeout';
}
