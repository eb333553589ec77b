import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { cancelAndRead } from '../../../client/followToEnd.ts';
import { followJob, type JobAddress } from '../../../client/followJob.ts';
import { pause } from '../../../client/retry.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { isUnfinished, withState, type StoredJob } from '../model/storedJob.ts';
import { JobStream, type StreamEvent } from './jobStream.ts';
import type { JobHistoryStore } from './jobHistoryStore.ts';

/** Maximum number of status requests at a time for jobs that nobody waits for. */
const MAX_REQUESTS = 4;
/** Longest interval between two status requests, and longest pause after failed ones, in ms, if somebody waits for the job and otherwise. */
const LONGEST = { awaited: { interval: 3_000, pause: 10_000 }, otherwise: { interval: 5_000, pause: 60_000 } };
const FIRST_PAUSE_MS = 2_000;
/** Number of failed requests in a row after which a wait fails. The job is still followed. */
const MAX_AWAITED_FAILURES = 5;
/** Kinds of temporary failures, which do not affect the job. */
const PASSING: readonly ErrorKind[] = ['network', 'timeout', 'server', 'rateLimited'];
/** Interval of the reports about an unfinished job, in ms. */
const TICK_MS = 1_000;
/** Time in which ended jobs are collected for one announcement, in ms. */
const COLLECT_MS = 1_000;

/** A job, and the connection that it belongs to. */
export interface ConnectedJob extends JobAddress {
  readonly connectionId: string;
}

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

/** A caller that waits for the end of a job. */
interface Subscriber extends Pick<WaitOptions, 'onChunks'> {
  readonly onState: (state: Job) => void;
  /** @param state undefined if the connection of the job is no longer available */
  readonly onEnd: (state: Job | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** The connection whose jobs are followed. */
interface Platform {
  readonly connectionId: string;
  readonly client: Client;
}

/** A job that is followed, with the callers that wait for it. */
interface Followed {
  readonly platform: Platform;
  readonly address: ConnectedJob;
  readonly stop: AbortController;
  readonly subscribers: Set<Subscriber>;
  readonly stream: JobStream;
  /** Called after the first request, whether it succeeded or not. */
  readonly onRead: () => void;
  /** Called if the job ends while nobody waits for it. */
  readonly onEnd: (ended: StoredJob) => void;
  hasEnded: boolean;
}

/**
 * Follows the unfinished jobs of the current connection: polls each of them once for all subscribers, records each state in the history, and
 * reads the stream if a subscriber takes the chunks. A job is followed until it has ended, the platform no longer has it, it is removed from
 * the history, or its connection is no longer the current one. Changes of the connection end and resume the following.
 */
export class JobFollower {
  readonly #options: FollowerOptions;
  readonly #subscriptions: readonly Subscription[];
  readonly #limit = pLimit(MAX_REQUESTS);
  readonly #followed = new Map<string, Followed>();
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
      await this.#take(followed, canceled);
      resolve(canceled);
    };
    const onAbort = () => void cancel().catch(reject);
    signal.addEventListener('abort', onAbort, { once: true });
    const over = new AbortController();
    const stopTimer = limitMs === undefined ? undefined : callAfter(clock, limitMs, () => resolve(last));
    try {
      if (isOver) await this.#take(followed, state);
      else {
        subscriber.onState(state);
        if (onChunks && mayStream(state)) void followed.stream.start();
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
  #stop(followed: Followed): void {
    const key = keyOf(followed.address);
    if (this.#followed.get(key) === followed) this.#followed.delete(key);
    followed.stop.abort();
    followed.stream.stop();
    for (const { onEnd } of followed.subscribers) onEnd(undefined);
  }

  /** Follows all unfinished jobs of the history, and announces those that have already ended together. */
  async #resume(platform: Platform, announce: (ended: EndedJobs) => void): Promise<void> {
    const { connectionId } = platform;
    const when: EndedWhen = this.#known.has(connectionId) ? 'away' : 'closed';
    this.#known.add(connectionId);
    const ended: StoredJob[] = [];
    const firstReads = this.#options.history
      .recent(connectionId)
      .filter(isUnfinished)
      .map((job) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        let isFirst = true;
        const onRead = () => {
          isFirst = false;
          resolve();
        };
        const onEnd = (stored: StoredJob) => {
          if (isFirst) ended.push(stored);
          else this.#collect(connectionId, stored);
        };
        this.#follow(platform, job, { onRead, onEnd });
        return promise;
      });
    await Promise.all(firstReads);
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
  #follow(platform: Platform, job: StoredJob, calls?: Pick<Followed, 'onRead' | 'onEnd'>): Followed {
    const key = keyOf(addressOf(platform.connectionId, job));
    const known = this.#followed.get(key);
    if (known) return known;
    const followed = this.#newFollowed(platform, job, calls);
    this.#followed.set(key, followed);
    void this.#run(followed);
    return followed;
  }

  #newFollowed(platform: Platform, job: StoredJob, calls?: Pick<Followed, 'onRead' | 'onEnd'>): Followed {
    const { connectionId, client } = platform;
    const address = addressOf(connectionId, job);
    const subscribers = new Set<Subscriber>();
    const onEvent = (event: StreamEvent): void => {
      this.#options.documents?.stream(address, event);
      if (event.kind === 'chunks') for (const { onChunks } of subscribers) onChunks?.(event.outputs);
    };
    return {
      ...{ platform, address, subscribers, stop: new AbortController(), hasEnded: false },
      stream: new JobStream({ client, address, onEvent }),
      onRead: calls?.onRead ?? (() => undefined),
      onEnd: calls?.onEnd ?? ((ended) => this.#collect(connectionId, ended)),
    };
  }

  async #run(followed: Followed): Promise<void> {
    const { platform, address, subscribers, onRead } = followed;
    const key = keyOf(address);
    try {
      await this.#poll(followed);
    } catch (error) {
      for (const { onError } of subscribers) onError(error);
      if (!(error instanceof ApiError)) this.#options.onError(error);
    } finally {
      if (this.#followed.get(key) === followed) this.#followed.delete(key);
      onRead();
    }
    // A slow response to another request can have replaced the end of the job by an earlier state.
    const stored = this.#options.history.find(platform.connectionId, address.jobId);
    if (followed.hasEnded && platform === this.#platform && stored && isUnfinished(stored))
      this.#follow(platform, stored);
  }

  async #poll(followed: Followed): Promise<void> {
    const { platform, address, subscribers, onRead, stop } = followed;
    const { client } = platform;
    const { signal } = stop;
    const isAwaited = () => subscribers.size > 0;
    const limited: Client = {
      ...client,
      getJobStatus: (...args) => {
        const read = () => client.getJobStatus(...args);
        return isAwaited() ? read() : this.#limit(read);
      },
    };
    const longest = () => LONGEST[isAwaited() ? 'awaited' : 'otherwise'];
    const options = { retries: 0, longestInterval: () => longest().interval };
    for (let failures = 0; ;) {
      try {
        for await (const state of followJob(limited, address, signal, options)) {
          failures = 0;
          await this.#take(followed, state);
          onRead();
        }
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || signal.aborted) throw error;
        onRead();
        if (error.kind === 'notFound') await this.#lost(address);
        if (!PASSING.includes(error.kind)) throw error;
        const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures++, longest().pause);
        if (failures >= MAX_AWAITED_FAILURES) for (const { onError } of subscribers) onError(error);
        await pause(client.context, 'getJobStatus', Math.max(ms, error.retryAfterMs ?? 0), signal);
      }
    }
  }

  /** Records a state, and passes it to the subscribers. Reads the rest of the stream of a job that has ended. */
  async #take(followed: Followed, state: Job): Promise<void> {
    const { address, subscribers, stream, onEnd } = followed;
    const { connectionId, jobId } = address;
    const { history, documents } = this.#options;
    if (followed.hasEnded) return;
    followed.hasEnded = isTerminal(state.status);
    const stored = history.find(connectionId, jobId);
    if (stored) await this.seen(connectionId, stored, state);
    else documents?.update(address, state);
    for (const subscriber of subscribers) subscriber.onState(state);
    const takesChunks = [...subscribers].some(({ onChunks }) => onChunks !== undefined);
    if (takesChunks && mayStream(state)) void stream.start();
    if (!followed.hasEnded) return;
    await stream.end();
    if (subscribers.size === 0 && stored) onEnd(history.find(connectionId, jobId) ?? stored);
    for (const subscriber of subscribers) subscriber.onEnd(state);
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

/** Returns whether a job can have chunks. A job that ended quickly can have some although it was never seen running. */
function mayStream({ status, output }: Job): boolean {
  if (status !== 'COMPLETED') return status === 'IN_PROGRESS';
  return output === undefined || output === null || (Array.isArray(output) && output.length === 0);
}

function keyOf({ connectionId, jobId }: ConnectedJob): string {
  return JSON.stringify([connectionId, jobId]);
}

function addressOf(connectionId: string, { id, endpointId }: StoredJob): ConnectedJob {
  return { connectionId, endpointId, jobId: id };
}
