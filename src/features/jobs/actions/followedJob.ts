import type { LimitFunction } from 'p-limit';
import { ApiError, isTemporary } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { followJob, type JobAddress } from '../../../client/followJob.ts';
import { pause } from '../../../client/retry.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { JobStream, type StreamEvent } from './jobStream.ts';

/** Longest interval between two status requests, and longest pause after failed ones, in ms, if somebody waits for the job and otherwise. */
const LONGEST = { awaited: { interval: 3_000, pause: 10_000 }, otherwise: { interval: 5_000, pause: 60_000 } };
const FIRST_PAUSE_MS = 2_000;
/** Number of failed requests in a row after which a wait fails. The job is still followed. */
const MAX_AWAITED_FAILURES = 5;

/** A job, and the connection that it belongs to. */
export interface ConnectedJob extends JobAddress {
  readonly connectionId: string;
}

/** A caller that waits for the end of a job. */
export interface Subscriber {
  readonly onState: (state: Job) => void;
  /** Receives the chunks of the stream, which is not read otherwise. */
  readonly onChunks?: ((outputs: readonly unknown[]) => void) | undefined;
  /** @param state undefined if the connection of the job is no longer available */
  readonly onEnd: (state: Job | undefined) => void;
  readonly onError: (error: unknown) => void;
}

export interface FollowedJobOptions {
  readonly client: Client;
  readonly address: ConnectedJob;
  /** Limits the number of requests at a time for jobs that nobody waits for. */
  readonly limit: LimitFunction;
  /** Records each state, before the subscribers receive it. */
  readonly record: (state: Job) => Promise<void>;
  /** Records that the platform no longer has the job. */
  readonly recordLoss: () => Promise<void>;
  readonly onStream: (event: StreamEvent) => void;
  /** Called if the job ends while nobody waits for it. @param isFirstRead whether the first request returned the end */
  readonly onUnawaitedEnd: (isFirstRead: boolean) => void;
}

/** One job that is followed: polled once for all subscribers. The stream is read if a subscriber takes the chunks. */
export class FollowedJob {
  readonly subscribers = new Set<Subscriber>();
  readonly #options: FollowedJobOptions;
  readonly #stream: JobStream;
  readonly #stopped = new AbortController();
  readonly #firstRead = Promise.withResolvers<void>();
  #hasRead = false;
  #hasEnded = false;

  constructor(options: FollowedJobOptions) {
    this.#options = options;
    const { client, address, onStream } = options;
    const onEvent = (event: StreamEvent): void => {
      onStream(event);
      if (event.kind === 'chunks') for (const { onChunks } of this.subscribers) onChunks?.(event.outputs);
    };
    this.#stream = new JobStream({ client, address, onEvent });
  }

  get address(): ConnectedJob {
    return this.#options.address;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves after the first request, whether it succeeded or not. */
  get firstRead(): Promise<void> {
    return this.#firstRead.promise;
  }

  /** Polls until the job has ended. Polling continues after temporary failures. @throws the error that ended it */
  async poll(): Promise<void> {
    const { client, recordLoss } = this.#options;
    const { signal } = this.#stopped;
    try {
      for (let failures = 0; ;) {
        try {
          const options = { retries: 0, longestInterval: () => this.#longest.interval };
          for await (const state of followJob(this.#limitedClient(), this.address, signal, options)) {
            failures = 0;
            await this.take(state);
            this.#markRead();
          }
          return;
        } catch (error) {
          if (!(error instanceof ApiError) || signal.aborted) throw error;
          this.#markRead();
          if (error.kind === 'notFound') await recordLoss();
          if (!isTemporary(error)) throw error;
          const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures++, this.#longest.pause);
          if (failures >= MAX_AWAITED_FAILURES) this.#fail(error);
          await pause(client.context, 'getJobStatus', Math.max(ms, error.retryAfterMs ?? 0), signal);
        }
      }
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#markRead();
    }
  }

  /** Records a state, and passes it to the subscribers. Reads the rest of the stream of a job that has ended. */
  async take(state: Job): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = isTerminal(state.status);
    await this.#options.record(state);
    for (const { onState } of this.subscribers) onState(state);
    this.readStream(state);
    if (!this.#hasEnded) return;
    await this.#stream.end();
    if (this.subscribers.size === 0) this.#options.onUnawaitedEnd(!this.#hasRead);
    for (const { onEnd } of this.subscribers) onEnd(state);
  }

  /** Begins to read the stream of a job in this state, if a subscriber takes the chunks and the job can have some. */
  readStream(state: Job): void {
    const takesChunks = [...this.subscribers].some(({ onChunks }) => onChunks !== undefined);
    if (takesChunks && mayStream(state)) void this.#stream.start();
  }

  /** Ends the polling and the waits. */
  stop(): void {
    this.#stopped.abort();
    this.#stream.stop();
    for (const { onEnd } of this.subscribers) onEnd(undefined);
  }

  get #longest(): { readonly interval: number; readonly pause: number } {
    return LONGEST[this.subscribers.size > 0 ? 'awaited' : 'otherwise'];
  }

  #limitedClient(): Client {
    const { client, limit } = this.#options;
    return {
      ...client,
      getJobStatus: (...args) => {
        const read = () => client.getJobStatus(...args);
        return this.subscribers.size > 0 ? read() : limit(read);
      },
    };
  }

  #markRead(): void {
    this.#hasRead = true;
    this.#firstRead.resolve();
  }

  #fail(error: unknown): void {
    for (const { onError } of this.subscribers) onError(error);
  }
}

/** Returns whether a job can have chunks. A job that ended quickly can have some although it was never seen running. */
function mayStream({ status, output }: Job): boolean {
  if (status !== 'COMPLETED') return status === 'IN_PROGRESS';
  return output === undefined || output === null || (Array.isArray(output) && output.length === 0);
}
