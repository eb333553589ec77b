import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import type { SimulatedLoad, SimulatedSettings } from '../../../src/contract/launch/simulation.ts';
import { workerPrice } from '../../../src/platform/domain/workerPrices.ts';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import { QueueEndpoint } from '../../../src/platform/queue/queueEndpoint.ts';
import type { RunSpec } from '../../../src/platform/runtimes/runSpec.ts';
import type { RunningWorker } from '../../../src/platform/runtimes/runtime.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Clock } from '../../../src/platform/time/clock.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { stubDependencies, stubRuntime, stubWorker } from '../stubRuntime.ts';

const CPU = [{ id: 'cpu3c', vcpuCount: 2 }];
/** Price of a worker with this processor. */
export const USD_PER_SECOND = workerPrice({ cpu: CPU }).nanoUsdPerSecond / 1e9;
const HOUR_MS = 3_600_000;

/** What the real platform has done with a load. */
export interface Observed {
  readonly waits: Float64Array;
  readonly usd: number;
  readonly completed: number;
  readonly coldStarts: number;
  readonly resumes: number;
  readonly peakWorkers: number;
}

/**
 * Runs a load on a queue of the real platform, whose clock jumps from one timer to the next. The workers are functions of the test that use
 * the worker protocol below HTTP. They resume at once, as frozen processes do.
 */
export async function observe(load: SimulatedLoad, settings: SimulatedSettings): Promise<Observed> {
  const platform = new VirtualPlatform(load, settings);
  try {
    return await platform.run();
  } finally {
    await platform.close();
  }
}

/** A clock that jumps to the next timer. */
class JumpingClock implements Clock {
  #now = Date.parse('2026-03-01T00:00:00Z');
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Calls all timers back until a time, in order. Other work runs in between. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      await settle();
      let next: { readonly at: number; readonly callback: () => void } | undefined;
      for (const timer of this.#timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

/** Lets the platform react, which takes some turns of the event loop. */
async function settle(): Promise<void> {
  for (let count = 0; count < 8; count++) await turn();
}

class VirtualPlatform {
  readonly #load: SimulatedLoad;
  readonly #clock = new JumpingClock();
  readonly #store = openSqliteStore(':memory:');
  readonly #engine: Engine;
  readonly #endpoint: QueueEndpoint;
  readonly #closed = new AbortController();
  readonly #waits: Float64Array;
  #started = 0;
  #slots = 0;
  readonly #observed = { completed: 0, coldStarts: 0, resumes: 0, peakWorkers: 0 };

  constructor(load: SimulatedLoad, settings: SimulatedSettings) {
    this.#load = load;
    this.#waits = new Float64Array(load.arrivalsMs.length).fill(load.ttlMs ?? Number.NaN);
    const runtime = {
      ...stubRuntime((spec) => this.#start(spec)),
      canFreeze: () => true,
      concurrentStarts: () => Infinity,
    };
    const clock = this.#clock;
    this.#engine = new Engine({
      ...{ store: this.#store, clock, realClock: clock, runtime, capacity: new HostCapacity(load.capacity ?? 1_000) },
      ...{ ...stubDependencies, log: pino({ enabled: false }), graceMs: 0 },
      referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
    });
    const { scaling, min, max, idleTimeoutMs, flashboot } = settings;
    const idleTimeout = scaling.type === 'QUEUE_DELAY' ? { idleTimeout: idleTimeoutMs / 1_000 } : {};
    const { id } = this.#engine.createEndpoint({
      ...{ name: 'virtual', type: 'QUEUE', image: 'process:/', cmd: ['none'], cpu: CPU },
      ...{ scaling, flashboot, workers: { min, max, ...idleTimeout } },
      ...(load.executionTimeoutMs !== undefined && { timeout: load.executionTimeoutMs }),
    });
    const endpoint = this.#engine.endpoint(id);
    this.#endpoint = endpoint instanceof QueueEndpoint ? endpoint : assert.fail('the endpoint has no queue');
  }

  async run(): Promise<Observed> {
    const { ttlMs, arrivalsMs, durationMs } = this.#load;
    const start = this.#clock.now();
    const policy = ttlMs === undefined ? {} : { policy: { ttl: ttlMs } };
    for (const [index, at] of arrivalsMs.entries())
      this.#clock.after(at, () => void this.#endpoint.submit({ input: { index }, ...policy }, { kind: 'run' }));
    await this.#clock.runUntil(start + durationMs);
    return { ...this.#observed, waits: this.#waits, usd: this.#usd() };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const closed = this.#engine.close();
    await this.#clock.runUntil(this.#clock.now() + HOUR_MS);
    await closed;
    this.#store.close();
  }

  #usd(): number {
    const now = this.#clock.now();
    const query = { grain: 'day', from: 0, to: now + 24 * HOUR_MS, kinds: ['serverlessCpu'], of: 'account' } as const;
    return Number([...this.#store.usage.sums(query, now)].reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n)) / 1e9;
  }

  /** Starts a process, which begins to work after its cold start. */
  async #start({ labels }: RunSpec): Promise<RunningWorker> {
    const { coldStartsMs, processStartsMs } = this.#load;
    const index = this.#started++;
    const coldMs = coldStartsMs[index % coldStartsMs.length] ?? 0;
    const upMs = Math.min(coldMs, processStartsMs[index % processStartsMs.length] ?? 0);
    this.#observed.coldStarts++;
    this.#take(1);
    await this.#wait(upMs);
    const work = new VirtualWorker(labels.workerId, this.#endpoint, this.#load, this.#waits, this.#clock, () => {
      this.#observed.completed++;
    });
    this.#clock.after(coldMs - upMs, () => work.begin());
    const running = stubWorker({
      freeze: () => {
        work.end();
        this.#take(-1);
        return Promise.resolve();
      },
      thaw: () => {
        this.#observed.resumes++;
        this.#take(1);
        work.begin();
        return Promise.resolve();
      },
      stop: async () => {
        if (work.isOn) this.#take(-1);
        work.end();
        running.end({ code: 0, signal: null });
        await running.exited;
      },
    });
    return running;
  }

  #take(slots: number): void {
    this.#slots += slots;
    this.#observed.peakWorkers = Math.max(this.#observed.peakWorkers, this.#slots);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve));
  }
}

/** Takes jobs and waits for their execution times. */
class VirtualWorker {
  readonly #id: string;
  readonly #endpoint: QueueEndpoint;
  readonly #load: SimulatedLoad;
  readonly #waits: Float64Array;
  readonly #clock: Clock;
  readonly #onCompleted: () => void;
  /** Functions that drop the jobs in progress, by their IDs. */
  readonly #running = new Map<string, () => void>();
  #on: AbortController | undefined;
  #wake: () => void = () => undefined;

  constructor(
    id: string,
    endpoint: QueueEndpoint,
    load: SimulatedLoad,
    waits: Float64Array,
    clock: Clock,
    onCompleted: () => void,
  ) {
    this.#id = id;
    this.#endpoint = endpoint;
    this.#load = load;
    this.#waits = waits;
    this.#clock = clock;
    this.#onCompleted = onCompleted;
  }

  get isOn(): boolean {
    return this.#on !== undefined;
  }

  begin(): void {
    this.#on = new AbortController();
    void this.#takeJobs(this.#on.signal);
    void this.#dropJobs(this.#on.signal);
  }

  end(): void {
    this.#on?.abort();
    this.#on = undefined;
  }

  async #takeJobs(signal: AbortSignal): Promise<void> {
    const { concurrency } = this.#load;
    while (!signal.aborted) {
      const limit = concurrency - this.#running.size;
      if (limit === 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      const call = { limit, hasJobs: this.#running.size > 0, userAgent: '' };
      const jobs = await this.#endpoint.take(this.#id, call, signal);
      for (const { job, request } of jobs) {
        const { index: given } = request.input;
        const index = Number(given);
        this.#waits[index] = (job.startedAt ?? 0) - job.createdAt;
        this.#execute(job.id, index);
      }
    }
  }

  #execute(jobId: string, index: number): void {
    const { executionsMs, handOverMs } = this.#load;
    const end = (): void => {
      this.#running.delete(jobId);
      this.#wake();
    };
    const ms = executionsMs[index % executionsMs.length] ?? 0;
    const cancel = this.#clock.after(ms, () => {
      this.#onCompleted();
      void this.#endpoint
        .finished(this.#id, jobId, { output: null }, false)
        .then(() => (handOverMs > 0 ? this.#clock.after(handOverMs, end) : end()));
    });
    this.#running.set(jobId, () => {
      cancel();
      end();
    });
  }

  async #dropJobs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ids = await this.#endpoint.jobsToStop(this.#id, signal);
      for (const id of ids ?? []) this.#running.get(id)?.();
    }
  }
}
