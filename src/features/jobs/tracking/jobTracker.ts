import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { followJob } from '../../../client/followJob.ts';
import { pause } from '../../../client/retry.ts';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { isUnfinished, withState } from '../actions/jobStates.ts';
import type { JobHistoryStore } from '../jobHistoryStore.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { ConnectedJob } from '../results/jobAddress.ts';
import type { EndedJobs, EndedWhen } from './endedJobs.ts';
import type { JobTracking } from './jobTracking.ts';

/** Maximum number of status requests at a time. */
const MAX_REQUESTS = 4;
/** Longest interval between two status requests of a job, in ms. */
const LAST_INTERVAL_MS = 5_000;
const FIRST_PAUSE_MS = 2_000;
const LAST_PAUSE_MS = 60_000;
/** Time in which ended jobs are collected for one announcement, in ms. */
const COLLECT_MS = 1_000;

export interface TrackerOptions {
  /** The current connection. Its client is undefined while the platform cannot be called. */
  readonly connections: {
    readonly profile: { readonly id: string } | undefined;
    readonly client: Client | undefined;
    readonly onDidChange: (listener: () => unknown) => Subscription;
  };
  readonly clock: Clock;
  readonly history: JobHistoryStore;
  /** Shows a state in the open document of a job. Undefined: the platform no longer has the job. */
  readonly show: (address: ConnectedJob, job: Job | undefined) => void;
  readonly announce: (ended: EndedJobs) => void;
  readonly onError: (error: unknown) => void;
}

/** The connection whose jobs are followed. */
interface Platform {
  readonly connectionId: string;
  readonly client: Client;
  /** The client with a limited number of status requests. */
  readonly limited: Client;
}

/** Follows unfinished jobs while their connection is the current one. Changes of the connection end and resume it. */
export class JobTracker implements JobTracking {
  readonly #options: TrackerOptions;
  readonly #subscriptions: readonly Subscription[];
  readonly #limit = pLimit(MAX_REQUESTS);
  readonly #followed = new Map<string, AbortController>();
  /** Jobs that other code follows, with the number of its holds. */
  readonly #held = new Map<string, number>();
  /** Connections whose jobs have been followed since the start of the editor. */
  readonly #known = new Set<string>();
  /** Ended jobs by connection ID that are announced soon, also after another connection has become the current one. */
  readonly #ended = new Map<string, StoredJob[]>();
  readonly #disposed = new AbortController();
  #platform: Platform | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.connections.onDidChange(() => this.#onConnection()),
      options.history.onDidChange((connectionId) => this.#onHistory(connectionId)),
    ];
    this.#onConnection();
  }

  track(connectionId: string, job: StoredJob): void {
    void this.#follow(connectionId, job, (ended) => this.#collect(connectionId, ended));
  }

  hold(connectionId: string, jobId: string): () => void {
    const key = keyOf(connectionId, jobId);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#stop(key);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const holds = (this.#held.get(key) ?? 1) - 1;
      if (holds > 0) {
        this.#held.set(key, holds);
        return;
      }
      this.#held.delete(key);
      const stored = this.#options.history.find(connectionId, jobId);
      if (stored && isUnfinished(stored)) this.track(connectionId, stored);
    };
  }

  async seen(connectionId: string, job: StoredJob, state: Job): Promise<void> {
    const { history, clock, show } = this.#options;
    show(addressOf(connectionId, job), state);
    const stored = history.find(connectionId, job.id);
    const next = withState(stored ?? job, state, clock.now());
    if (!isDeepStrictEqual(stored, next)) await history.put(connectionId, next);
  }

  dispose(): void {
    this.#disposed.abort();
    this.#end();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ignores changes that keep the client, such as a new name. */
  #onConnection(): void {
    const { client, profile } = this.#options.connections;
    const connectionId = profile?.id;
    if (client === this.#platform?.client && connectionId === this.#platform?.connectionId) return;
    this.#end();
    if (!client || connectionId === undefined) return;
    this.#platform = { connectionId, client, limited: this.#limited(client) };
    this.#resume(connectionId).catch(this.#options.onError);
  }

  /** Stops following all jobs. */
  #end(): void {
    this.#platform = undefined;
    for (const key of this.#followed.keys()) this.#stop(key);
  }

  /** Stops following a job. It can be followed again immediately. */
  #stop(key: string): void {
    this.#followed.get(key)?.abort();
    this.#followed.delete(key);
  }

  #limited(client: Client): Client {
    return { ...client, getJobStatus: (...args) => this.#limit(() => client.getJobStatus(...args)) };
  }

  /** Follows all unfinished jobs of the history, and announces those that have already ended together. */
  async #resume(connectionId: string): Promise<void> {
    const when: EndedWhen = this.#known.has(connectionId) ? 'away' : 'closed';
    this.#known.add(connectionId);
    const unfinished = this.#options.history.recent(connectionId).filter(isUnfinished);
    const ended: StoredJob[] = [];
    const firstReads = unfinished.map((job) => {
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
      void this.#follow(connectionId, job, onEnd, onRead).finally(resolve);
      return promise;
    });
    await Promise.all(firstReads);
    if (ended.length > 0) this.#options.announce({ connectionId, when, jobs: ended });
  }

  /** Stops following the jobs that were removed from the history. */
  #onHistory(connectionId: string): void {
    if (connectionId !== this.#platform?.connectionId || this.#followed.size === 0) return;
    const known = new Set(this.#options.history.recent(connectionId).map(({ id }) => keyOf(connectionId, id)));
    for (const key of this.#followed.keys()) if (!known.has(key)) this.#stop(key);
  }

  /** @param onRead called after the first request, whether it succeeded or not */
  async #follow(
    connectionId: string,
    job: StoredJob,
    onEnd: (ended: StoredJob) => void,
    onRead: () => void = () => undefined,
  ): Promise<void> {
    const platform = this.#platform;
    const key = keyOf(connectionId, job.id);
    if (platform?.connectionId !== connectionId || this.#followed.has(key) || this.#held.has(key)) return;
    const own = new AbortController();
    this.#followed.set(key, own);
    try {
      await this.#read(platform, job, own.signal, { onEnd, onRead });
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.onError(error);
    } finally {
      if (this.#followed.get(key) === own) this.#followed.delete(key);
    }
  }

  async #read(
    { connectionId, limited: client }: Platform,
    { id, endpointId }: StoredJob,
    signal: AbortSignal,
    { onEnd, onRead }: { readonly onEnd: (ended: StoredJob) => void; readonly onRead: () => void },
  ): Promise<void> {
    const { history } = this.#options;
    for (let failures = 0; ;) {
      try {
        const options = { retries: 0, lastIntervalMs: LAST_INTERVAL_MS };
        for await (const state of followJob(client, { endpointId, jobId: id }, signal, options)) {
          failures = 0;
          const stored = history.find(connectionId, id);
          if (!stored) return;
          await this.seen(connectionId, stored, state);
          if (isTerminal(state.status)) onEnd(history.find(connectionId, id) ?? stored);
          onRead();
        }
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || signal.aborted) throw error;
        onRead();
        if (error.kind === 'notFound') {
          await this.#lost(connectionId, id);
          return;
        }
        if (error.kind === 'unauthorized' || error.kind === 'forbidden' || error.kind === 'validation') throw error;
        const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures++, LAST_PAUSE_MS);
        await pause(client.context, 'getJobStatus', Math.max(ms, error.retryAfterMs ?? 0), signal);
      }
    }
  }

  /** Records that the platform no longer has a job. Its last status stays. */
  async #lost(connectionId: string, jobId: string): Promise<void> {
    const { history, show } = this.#options;
    const stored = history.find(connectionId, jobId);
    if (!stored) return;
    await history.put(connectionId, { ...stored, gone: true });
    show(addressOf(connectionId, stored), undefined);
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
        announce({ connectionId, when: 'now', jobs });
      },
      () => undefined,
    );
  }
}

const keyOf = (connectionId: string, jobId: string) => JSON.stringify([connectionId, jobId]);

function addressOf(connectionId: string, { id, endpointId }: StoredJob): ConnectedJob {
  return { connectionId, endpointId, jobId: id };
}
