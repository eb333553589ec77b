import type { ApiError } from '../../../client/apiError.ts';
import type { Clock } from '../../../client/clock.ts';
import type { EndedJob } from '../../../contract/control/controlMetrics.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../../account/connectedPoller.ts';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import { Emitter } from '../../../kit/emitter.ts';
import type { MetricsSelection, MetricsSelectionChange } from '../../../webviews/metrics/messages.ts';
import type { DeploymentOfVersion } from '../model/releaseWords.ts';
import type { MetricsSource } from './actions/metricsSource.ts';
import type { Reading } from './model/columns.ts';
import { DEFAULT_SELECTION, validSelection, windowBefore, windowOf, type MetricsWindow } from './model/window.ts';

/** A part of the view that is read with a request of its own. The last value is kept when a later request fails. */
export interface Part<Value> {
  readonly value?: Value | undefined;
  readonly error?: ApiError | undefined;
  /** Time of the last response, in ms since the epoch on this machine. */
  readonly readAt?: number | undefined;
}

/** Properties of the endpoint. */
export interface Facts {
  readonly isQueue: boolean;
  /** Versions of releases, newest first. */
  readonly releases: readonly number[];
  /** Returns the deployment of a release. */
  readonly deploymentOf: DeploymentOfVersion;
  /** Time of the creation of the endpoint, in ms since the epoch. */
  readonly createdAt: number;
}

export interface MetricsState {
  readonly selection: MetricsSelection;
  readonly busy: boolean;
  readonly facts: Part<Facts>;
  readonly reading: Part<Reading>;
  /** Metrics of the period or the release to compare with. */
  readonly compared: Part<Reading>;
  /** Time of the platform at the last response, in ms since the epoch. */
  readonly now: number;
  /** Jobs of a bucket that the user chose. */
  readonly jobs: (Part<readonly EndedJob[]> & { readonly period: Pick<MetricsWindow, 'start' | 'end'> }) | undefined;
  /** Time of the first observation on a platform that does not measure. `null`: none yet. */
  readonly observedSince: number | null | undefined;
}

export interface MetricsStoreOptions {
  /** The connection of the endpoint. Its client is undefined while another connection is the current one. */
  readonly connections: Connected;
  readonly clock: Clock;
  readonly endpointId: string;
  /** Resolves with where the numbers of the connection come from. @throws ApiError */
  readonly source: (platform: ConnectedPlatform) => Promise<MetricsSource> | MetricsSource;
  /** Reads the deployments of the releases. Does not reject. */
  readonly deployments: () => Promise<DeploymentOfVersion>;
  /** Initial selection, such as the one before a reload. */
  readonly selection?: MetricsSelection | undefined;
}

/** Pause after a round, in ms: with buckets of seconds, of minutes, and of hours. */
const FAST_MS = 5_000;
const MEDIUM_MS = 15_000;
const SLOW_MS = 60_000;

const NOTHING: Part<never> = {};
const OF_CONNECTION = {
  ...{ busy: false, now: 0, jobs: undefined, observedSince: undefined },
  ...{ facts: NOTHING, reading: NOTHING, compared: NOTHING },
} as const;

/** Holds the metrics of an endpoint for a selection. Polls while the view is visible. */
export class MetricsStore {
  readonly #options: MetricsStoreOptions;
  readonly #poller: ConnectedPoller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #state: MetricsState;
  #source: MetricsSource | undefined;
  /** The current round. Only its results are shown. */
  #round: ConnectedPlatform | undefined;
  /** Key of the metrics to compare with: their period and release. */
  #comparedWith = '';
  #listing: AbortController | undefined;

  constructor(options: MetricsStoreOptions) {
    const { connections, clock, selection = DEFAULT_SELECTION } = options;
    this.#options = options;
    this.#state = { selection, ...OF_CONNECTION };
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#poll(platform),
      interval: () => this.#interval(),
      onConnection: () => this.#forgetConnection(),
    });
  }

  get state(): MetricsState {
    return this.#state;
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Changes the selection. Numbers of another period or release are discarded. */
  select(change: MetricsSelectionChange): void {
    const before = this.#state.selection;
    const isQueueEndpoint = this.#state.facts.value?.isQueue ?? before.duration !== 'latency';
    const next = validSelection({ ...before, ...change }, isQueueEndpoint);
    const isSame = (name: 'period' | 'release' | 'compare') => next[name] === before[name];
    this.#set({
      selection: next,
      ...(isSame('period') && isSame('release') ? {} : { reading: NOTHING, jobs: undefined }),
      ...(isSame('period') && isSame('compare') ? {} : { compared: NOTHING }),
    });
    if (isSame('period') && isSame('release') && isSame('compare')) return;
    this.#round = undefined;
    this.#poller.restart();
  }

  /** Reads everything now. */
  refresh(): void {
    this.#set({ facts: { ...this.#state.facts, readAt: undefined } });
    this.#poller.wake();
  }

  /** Lists the jobs that ended in a bucket. The list replaces an earlier one. */
  async listJobs(period: Pick<MetricsWindow, 'start' | 'end'>): Promise<void> {
    const { platform } = this.#poller;
    const source = this.#source;
    if (!platform || !source) return;
    this.#listing?.abort();
    const listing = new AbortController();
    this.#listing = listing;
    this.#set({ jobs: { period } });
    let part: Part<readonly EndedJob[]>;
    try {
      const signal = AbortSignal.any([platform.signal, listing.signal]);
      part = { value: await source.endedJobs({ ...platform, signal }, period) };
    } catch (error) {
      part = { error: error as ApiError };
    }
    if (!listing.signal.aborted) this.#set({ jobs: { period, ...part } });
  }

  /** Closes the list of jobs. */
  closeJobs(): void {
    this.#listing?.abort();
    this.#set({ jobs: undefined });
  }

  dispose(): void {
    this.#listing?.abort();
    this.#poller.dispose();
    this.#changed.dispose();
  }

  #forgetConnection(): void {
    this.#round = undefined;
    this.#source = undefined;
    this.#comparedWith = '';
    this.#listing?.abort();
    this.#set(OF_CONNECTION);
  }

  #interval(): number {
    const { reading } = this.#state;
    if (reading.error) return Math.max(MEDIUM_MS, reading.error.retryAfterMs ?? 0);
    const step = reading.value?.window.step ?? 0;
    return step >= 3_600_000 ? SLOW_MS : step >= 60_000 ? MEDIUM_MS : FAST_MS;
  }

  async #poll(round: ConnectedPlatform): Promise<void> {
    this.#round = round;
    this.#set({ busy: true });
    const { facts } = this.#state;
    if ((facts.readAt ?? -Infinity) + SLOW_MS <= this.#options.clock.now())
      await this.#read(round, 'facts', () => this.#readFacts(round));
    if (this.#round !== round) return;
    const selection = validSelection(this.#state.selection, this.#state.facts.value?.isQueue ?? true);
    let window: MetricsWindow | undefined;
    let source: MetricsSource | undefined;
    await this.#read(round, 'reading', async () => {
      source = this.#source ?? (await this.#options.source(round));
      if (this.#round === round) this.#source = source;
      const now = await source.now(round);
      await source.observe(round);
      window = windowOf(selection, now, source.leastStep);
      const metrics = await source.read(round, window, selection.release);
      if (this.#round === round)
        this.#set({ now, observedSince: source.isObserved ? (source.since ?? null) : undefined });
      return { window, metrics, isObserved: source.isObserved };
    });
    if (source && window) await this.#readCompared(round, source, window);
    if (this.#round === round) this.#set({ busy: false });
  }

  async #readFacts({ client, signal }: ConnectedPlatform): Promise<Facts> {
    const { endpointId: id, deployments } = this.#options;
    const options = { signal, waits: 0 };
    const [endpoint, { releases }, deploymentOf] = await Promise.all([
      client.getEndpoint({ id }, options),
      client.listEndpointReleases({ id }, options),
      deployments(),
    ]);
    return {
      ...{ isQueue: isQueue(endpoint), deploymentOf, createdAt: millisecondsOf(endpoint.createdAt) },
      releases: releases.flatMap(({ version }) => version ?? []),
    };
  }

  /** Reads what the selection compares with. The period before is read again only when it has other buckets. */
  async #readCompared(round: ConnectedPlatform, source: MetricsSource, window: MetricsWindow): Promise<void> {
    const { selection, compared } = this.#state;
    if (this.#round !== round || selection.compare === 'none') return;
    const isBefore = selection.compare === 'before';
    const other = isBefore ? windowBefore(window) : window;
    const key = JSON.stringify([selection.compare, selection.release, other]);
    if (isBefore && key === this.#comparedWith && compared.value) return;
    this.#comparedWith = key;
    const release = selection.compare === 'before' ? selection.release : selection.compare;
    await this.#read(round, 'compared', async () => ({
      window: other,
      metrics: await source.read(round, other, release),
      isObserved: source.isObserved,
    }));
  }

  /** Stores the result of requests, unless their round is no longer the current one. */
  async #read<Name extends 'facts' | 'reading' | 'compared'>(
    round: ConnectedPlatform,
    name: Name,
    request: () => Promise<NonNullable<MetricsState[Name]['value']>>,
  ): Promise<void> {
    let part: Part<unknown>;
    try {
      part = { value: await request(), readAt: this.#options.clock.now() };
    } catch (error) {
      part = { ...this.#state[name], error: error as ApiError };
    }
    if (this.#round === round && !round.signal.aborted) this.#set({ [name]: part });
  }

  #set(change: Partial<MetricsState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed.fire();
  }
}
