import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { cancelAndRead } from '../../../client/followToEnd.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { isUnfinished, withState, type StoredJob } from '../model/storedJob.ts';
import type { StreamEvent } from './jobStream.ts';
import { FollowedJob, type ConnectedJob, type Subscriber } from './followedJob.ts';
import type { JobHistoryStore } from './jobHistoryStore.ts';

/** Maximum number of status requests at a time for jobs that nobody waits for. */
const MAX_REQUESTS = 4;
/** Interval of the reports about an unfinished job, in ms. */
const TICK_MS = 1_000;
/** Time in which ended jobs are collected for one announcement, in ms. */
const COLLECT_MS = 1_000;

/**
 * Time in which jobs ended:
 *
 * - `closed`: the editor was closed, or its connection was not available since the start of the editor.
 * - `away`: the editor used another connection, or its platform was stopped.
 * - `now`: the editor followed the jobs.
 */
export type EndedWhen = 'closed' | 'away' | 'now';

/** Jobs that have ended while nobody waited for them. */
export interface EndedJobs {
  readonly connectionId: string;
  readonly when: EndedWhen;
  readonly jobs: readonly StoredJob[];
}

export interface FollowerOptions {
  /** The current connection. Its client is undefined while the platform cannot be called. */
  readonly connections: {
    readonly profile: { readonly id: string } | undefined;
    readonly client: Client | undefined;
    readonly onDidChange: (listener: () => unknown) => Subscription;
  };
  readonly clock: Clock;
  readonly history: JobHistoryStore;
  /** Shows the states and the streams of jobs. */
  readonly documents?: {
    /** Undefined: the platform no longer has the job. */
    update(job: ConnectedJob, state: Job | undefined): void;
    stream(job: ConnectedJob, event: StreamEvent): void;
  };
  /** Announces ended jobs. Undefined: jobs are followed only while somebody waits for them. */
  readonly announce?: (ended: EndedJobs) => void;
  readonly onError: (error: unknown) => void;
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  /** Whether aborting the signal cancels the job on the platform. Otherwise it only ends the wait. */
  readonly cancels: boolean;
  /** Maximum time to wait, in ms. The job is then still followed. Default: no maximum. */
  readonly limitMs?: number | undefined;
  /** Receives each new state. */
  readonly onState?: (state: Job) => void;
  /** Receives an unfinished job immediately, each time it changes, and every second. @param elapsedMs time since the submission */
  readonly onWaiting?: (state: Job, elapsedMs: number) => void;
  /** Receives the chunks of the stream, which is not read otherwise. */
  readonly onChunks?: ((outputs: readonly unknown[]) => void) | undefined;
}

/** Called with a job that has ended while nobody waited for it. @param isFirstRead whether the first request returned the end */
type OnEnd = (job: StoredJob, isFirstRead: boolean) => void;

/** The connection whose jobs are followed. */
interface Platform {
  readonly connectionId: string;
  readonly client: Client;
}

/**
 * Follows the unfinished jobs of the current connection, and records each state in the history. A job is followed until it has ended, the
 * platform no longer has it, it is removed from the history, or its connection is no longer the current one. Changes of the connection end
 * and resume the following.
 */
export class JobFollower {
  readonly #options: FollowerOptions;
  readonly #subscriptions: readonly Subscription[];
  readonly #limit = pLimit(MAX_REQUESTS);
  readonly #followed = new Map<string, FollowedJob>();
  /** Connections whose jobs have been followed since the start of the editor. */
  readonly #known = new Set<string>();
  /** Ended jobs by connection ID that are announced soon, also after another connection has become the current one. */
  readonly #ended = new Map<string, StoredJob[]>();
  readonly #disposed = new AbortController();
  #platform: Platform | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.connections.onDidChange(() => this.#onConnection()),
      options.history.onDidChange((connectionId) => this.#onHistory(connectionId)),
    ];
    this.#onConnection();
  }

  /** Records a state that another request returned, and shows it. Follows the job unless it has ended. Never rejects. */
  async seen(connectionId: string, job: StoredJob, state: Job): Promise<void> {
    const { history, clock, documents, announce, onError } = this.#options;
    documents?.update(addressOf(connectionId, job), state);
    const stored = history.find(connectionId, job.id);
    const { gone: _, ...present } = stored ?? job;
    const next = withState(present, state, clock.now());
    if (!isDeepStrictEqual(stored, next)) await history.put(connectionId, next).catch(onError);
    const platform = this.#platform;
    if (announce && isUnfinished(next) && platform?.connectionId === connectionId) this.#follow(platform, next);
  }

  /**
   * Waits for the end of a job, and for the rest of its stream.
   *
   * @param state the last known state
   * @returns the last state, which is unfinished if the time is over. Undefined if the connection is no longer available
   * @throws ApiError after repeated or permanent failures, or of kind `canceled` if the signal ends the wait
   */
  async wait(connectionId: string, job: StoredJob, state: Job, options: WaitOptions): Promise<Job | undefined> {
    const { signal, cancels, limitMs, onState, onWaiting, onChunks } = options;
    const { clock, history, announce } = this.#options;
    const platform = this.#platform;
    if (platform?.connectionId !== connectionId) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Job | undefined>();
    let last = state;
    const report = () => {
      if (!isTerminal(last.status) && !signal.aborted) onWaiting?.(last, clock.now() - job.submittedAt);
    };
    const subscriber: Subscriber = {
      onState: (next) => {
        last = next;
        onState?.(next);
        report();
      },
      ...{ onChunks, onEnd: resolve, onError: reject },
    };
    const isOver = isTerminal(state.status);
    const followed = isOver ? this.#newFollowed(platform, job) : this.#follow(platform, job);
    followed.subscribers.add(subscriber);
    const cancel = async (): Promise<void> => {
      if (!cancels) throw new ApiError('canceled', 'canceled', { operation: 'getJobStatus', cause: signal.reason });
      const canceled = await cancelAndRead(platform.client, followed.address);
      await followed.take(canceled);
      resolve(canceled);
    };
    const onAbort = () => void cancel().catch(reject);
    signal.addEventListener('abort', onAbort, { once: true });
    const over = new AbortController();
    const stopTimer = limitMs === undefined ? undefined : callAfter(clock, limitMs, () => resolve(last));
    try {
      if (isOver) await followed.take(state);
      else {
        subscriber.onState(state);
        followed.readStream(state);
        if (signal.aborted) onAbort();
        void eachSecond(clock, over.signal, report);
      }
      return await promise;
    } finally {
      over.abort();
      stopTimer?.();
      signal.removeEventListener('abort', onAbort);
      followed.subscribers.delete(subscriber);
      const isKept = announce !== undefined && history.find(connectionId, job.id) !== undefined;
      if (!isKept && followed.subscribers.size === 0) this.#stop(followed);
    }
  }

  dispose(): void {
    this.#disposed.abort();
    this.#stopAll();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ignores changes that keep the client, such as a new name. */
  #onConnection(): void {
    const { client, profile } = this.#options.connections;
    const connectionId = profile?.id;
    if (client === this.#platform?.client && connectionId === this.#platform?.connectionId) return;
    this.#stopAll();
    if (!client || connectionId === undefined) return;
    this.#platform = { connectionId, client };
    if (this.#options.announce) this.#resume(this.#platform, this.#options.announce).catch(this.#options.onError);
  }

  #stopAll(): void {
    this.#platform = undefined;
    for (const followed of this.#followed.values()) this.#stop(followed);
  }

  /** Stops following a job, and ends the waits for it. The job can be followed again immediately. */
  #stop(followed: FollowedJob): void {
    this.#forget(followed);
    followed.stop();
  }

  #forget(followed: FollowedJob): void {
    const key = keyOf(followed.address);
    if (this.#followed.get(key) === followed) this.#followed.delete(key);
  }

  /** Follows all unfinished jobs of the history, and announces those that have already ended together. */
  async #resume(platform: Platform, announce: (ended: EndedJobs) => void): Promise<void> {
    const { connectionId } = platform;
    const when: EndedWhen = this.#known.has(connectionId) ? 'away' : 'closed';
    this.#known.add(connectionId);
    const ended: StoredJob[] = [];
    const onEnd: OnEnd = (job, isFirstRead) => {
      if (isFirstRead) ended.push(job);
      else this.#collect(connectionId, job);
    };
    const unfinished = this.#options.history.recent(connectionId).filter(isUnfinished);
    await Promise.all(unfinished.map((job) => this.#follow(platform, job, onEnd).firstRead));
    if (ended.length > 0) announce({ connectionId, when, jobs: ended });
  }

  /** Stops following the jobs that were removed from the history, unless somebody waits for them. */
  #onHistory(connectionId: string): void {
    if (this.#followed.size === 0) return;
    const known = new Set(this.#options.history.recent(connectionId).map(({ id }) => id));
    for (const followed of this.#followed.values()) {
      const { address, subscribers } = followed;
      if (address.connectionId === connectionId && subscribers.size === 0 && !known.has(address.jobId))
        this.#stop(followed);
    }
  }

  /** Begins to follow a job, or returns the job that is already followed. */
  #follow(platform: Platform, job: StoredJob, onEnd?: OnEnd): FollowedJob {
    const key = keyOf(addressOf(platform.connectionId, job));
    const known = this.#followed.get(key);
    if (known) return known;
    const followed = this.#newFollowed(platform, job, onEnd);
    this.#followed.set(key, followed);
    void this.#run(platform, followed);
    return followed;
  }

  #newFollowed({ connectionId, client }: Platform, job: StoredJob, onEnd?: OnEnd): FollowedJob {
    const { history, documents } = this.#options;
    const address = addressOf(connectionId, job);
    const end: OnEnd = onEnd ?? ((ended) => this.#collect(connectionId, ended));
    return new FollowedJob({
      ...{ client, address, limit: this.#limit },
      record: async (state) => {
        const stored = history.find(connectionId, job.id);
        if (stored) await this.seen(connectionId, stored, state);
        else documents?.update(address, state);
      },
      recordLoss: () => this.#lost(address),
      onStream: (event) => documents?.stream(address, event),
      onUnawaitedEnd: (isFirstRead) => {
        const stored = history.find(connectionId, job.id);
        if (stored) end(stored, isFirstRead);
      },
    });
  }

  async #run(platform: Platform, followed: FollowedJob): Promise<void> {
    const { history, onError } = this.#options;
    try {
      await followed.poll();
    } catch (error) {
      if (!(error instanceof ApiError)) onError(error);
    } finally {
      this.#forget(followed);
    }
    // A slow response to another request can have replaced the end of the job by an earlier state.
    const stored = history.find(platform.connectionId, followed.address.jobId);
    if (followed.hasEnded && platform === this.#platform && stored && isUnfinished(stored))
      this.#follow(platform, stored);
  }

  /** Records that the platform no longer has a job. Its last status stays. */
  async #lost(address: ConnectedJob): Promise<void> {
    const { history, documents } = this.#options;
    const stored = history.find(address.connectionId, address.jobId);
    if (!stored) return;
    await history.put(address.connectionId, { ...stored, gone: true });
    documents?.update(address, undefined);
  }

  /** Announces the ended jobs of a connection together, so that many of them cause one message. */
  #collect(connectionId: string, ended: StoredJob): void {
    const { clock, announce } = this.#options;
    const collected = this.#ended.get(connectionId);
    if (collected) {
      collected.push(ended);
      return;
    }
    const jobs = [ended];
    this.#ended.set(connectionId, jobs);
    clock.sleep(COLLECT_MS, this.#disposed.signal).then(
      () => {
        this.#ended.delete(connectionId);
        announce?.({ connectionId, when: 'now', jobs });
      },
      () => undefined,
    );
  }
}

/** Calls a function every second until the signal is aborted. */
async function eachSecond(clock: Clock, signal: AbortSignal, call: () => void): Promise<void> {
  const sleep = () =>
    clock.sleep(TICK_MS, signal).then(
      () => !signal.aborted,
      () => false,
    );
  while (await sleep()) call();
}

function keyOf({ connectionId, jobId }: ConnectedJob): string {
  return JSON.stringify([connectionId, jobId]);
}

function addressOf(connectionId: string, { id, endpointId }: StoredJob): ConnectedJob {
  return { connectionId, endpointId, jobId: id };
}
