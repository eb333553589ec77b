import path from 'node:path';
import fc from 'fast-check';
import { controlMetricsOperations } from '../../../src/contract/control/controlMetrics.ts';
import { createEndpoint } from '../../../src/platform/domain/endpoint.ts';
import type { JobRecord } from '../../../src/platform/domain/job.ts';
import { Metrics } from '../../../src/platform/metrics/metrics.ts';
import { JobQueue } from '../../../src/platform/queue/jobQueue.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { cleanUp, dataDirectory, endpointBody, manualClock } from '../support.ts';
import { MetricsModel } from './metricsModel.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const HEARTBEAT_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A queue on a clock that the test sets, with its metrics, and with a model of them. */
class MeasuredQueue {
  readonly clock = manualClock(START);
  readonly model = new MetricsModel();
  readonly endpoint = createEndpoint(endpointBody(), {
    ...{ id: 'endpoint1', accountId: 'owner', now: START },
    ...{ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true },
  });
  readonly #file: string;
  #store!: Store;
  #metrics!: Metrics;
  #queue!: JobQueue;
  #workers = 0;

  constructor(file: string) {
    this.#file = file;
    this.#open();
  }

  close(): void {
    this.#queue.close();
    this.#beat();
    this.#store.close();
  }

  /** Stops the platform, and starts it again later. */
  restart(downMs: number): void {
    this.close();
    this.#setWorkers(0);
    this.clock.advance(downMs);
    this.#open();
    // The length of the queue is measured again.
    this.model.depth.set(this.clock.now(), this.model.depth.value);
  }

  /** Stops the time of the platform, as the sleep of a machine does. */
  sleep(ms: number): void {
    this.#beat();
    this.clock.advance(ms);
    this.model.runs.push({ from: this.clock.now(), to: this.clock.now() });
    this.#beat();
  }

  advance(ms: number): void {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      this.clock.advance(Math.min(HEARTBEAT_MS, end - this.clock.now()));
      this.#beat();
    }
  }

  rollUp(): void {
    while (this.#store.metrics.rollUp(this.clock.now()));
  }

  async submit(count: number): Promise<void> {
    const jobs = Array.from({ length: count }, () =>
      this.#queue.submit(this.endpoint.id, { input: {} }, { kind: 'run' }),
    );
    const changes = (await Promise.all(jobs)).map((after) => ({ before: undefined, after }));
    this.model.changed(changes, this.clock.now());
  }

  dispatch(count: number): void {
    const takers = Array.from({ length: count }, () => ({ workerId: 'w', version: 1, has: () => false, revoked: 0 }));
    const taken = this.#queue.dispatch(this.endpoint.id, takers);
    const changes = taken.map(({ job }) => ({ before: { ...job, status: 'IN_QUEUE' } as const, after: job }));
    this.model.changed(changes, this.clock.now());
  }

  /** Applies an event to the nth job in a status, if there is one. */
  apply(
    status: JobRecord['status'],
    nth: number,
    kind: 'canceled' | 'returned' | 'retried' | 'failed' | 'finished',
  ): void {
    const ids = this.#store.jobs.ids(this.endpoint.id, status, {});
    const id = ids[nth % Math.max(1, ids.length)];
    if (id === undefined) return;
    const before = this.#queue.get(this.endpoint.id, id);
    const event = kind === 'failed' ? { kind, error: 'e' } : { kind };
    const after = this.#queue.apply(this.endpoint.id, id, event);
    if (after) this.model.changed([{ before, after }], this.clock.now());
  }

  setWorkers(count: number): void {
    this.#setWorkers(count);
    const meter = this.#metrics.meterOf(this.endpoint);
    for (let index = 0; index < 5; index++) {
      const gauge = { release: 1, state: 'idle', nanoUsdPerSecond: 0 } as const;
      meter.setWorker(`w${index}`, index < count ? gauge : undefined);
    }
  }

  async check(): Promise<void> {
    const now = this.clock.now();
    this.model.runUntil(now);
    for (const step of [10, 60, 3_600]) {
      const asked = { from: START - HOUR_MS, to: now + MINUTE_MS };
      const query = controlMetricsOperations.getEndpointMetrics.query.parse({
        ...{ start: new Date(asked.from).toISOString(), end: new Date(asked.to).toISOString(), step },
      });
      const metrics = await this.#metrics.of(this.endpoint, query);
      this.model.check(metrics, asked, now);
    }
  }

  #setWorkers(count: number): void {
    if (count !== this.#workers) this.model.idleWorkers.set(this.clock.now(), count);
    this.#workers = count;
  }

  #open(): void {
    this.#store = openSqliteStore(this.#file);
    if (this.#store.endpoints.list().length === 0) this.#store.endpoints.insert(this.endpoint);
    this.#metrics = new Metrics(this.#store, this.clock);
    this.#metrics.meterOf(this.endpoint);
    const none = (): void => undefined;
    this.#queue = new JobQueue(
      this.#store,
      { clock: this.clock, realClock: this.clock },
      { onSubmitted: none, onExpired: none, onWebhook: none },
      this.#metrics,
    );
    this.#metrics.start();
    this.model.runs.push({ from: this.clock.now(), to: this.clock.now() });
  }

  #beat(): void {
    this.#store.transaction((transaction) => this.#metrics.write(transaction));
    this.model.runUntil(this.clock.now());
  }
}

type Step = (queue: MeasuredQueue) => Promise<void> | void;

const short = fc.integer({ min: 0, max: 90_000 });
const nth = fc.nat({ max: 20 });
const ends = fc.constantFrom('finished', 'failed', 'canceled', 'returned');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 5 }).map((count) => (queue: MeasuredQueue) => queue.submit(count)),
  },
  {
    weight: 5,
    arbitrary: fc.integer({ min: 1, max: 4 }).map((count) => (queue: MeasuredQueue) => queue.dispatch(count)),
  },
  { weight: 8, arbitrary: short.map((ms) => (queue: MeasuredQueue) => queue.advance(ms)) },
  {
    weight: 8,
    arbitrary: fc.tuple(nth, ends).map(
      ([n, kind]) =>
        (queue: MeasuredQueue) =>
          queue.apply('IN_PROGRESS', n, kind),
    ),
  },
  { weight: 1, arbitrary: nth.map((n) => (queue: MeasuredQueue) => queue.apply('IN_QUEUE', n, 'canceled')) },
  { weight: 1, arbitrary: nth.map((n) => (queue: MeasuredQueue) => queue.apply('FAILED', n, 'retried')) },
  { weight: 2, arbitrary: fc.nat({ max: 5 }).map((count) => (queue: MeasuredQueue) => queue.setWorkers(count)) },
  { weight: 1, arbitrary: fc.constant((queue: MeasuredQueue) => queue.rollUp()) },
  { weight: 1, arbitrary: short.map((ms) => (queue: MeasuredQueue) => queue.restart(ms)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 61_000, max: 3 * HOUR_MS }).map((ms) => (queue: MeasuredQueue) => queue.sleep(ms)),
  },
);

describe('Metrics of an endpoint', () => {
  afterEach(cleanUp);

  it('equal those of a computation over all jobs, also after roll-ups, restarts, and pauses', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const queue = new MeasuredQueue(path.join(await dataDirectory(), 'platform.sqlite'));
        try {
          for (const each of steps) await each(queue);
          await queue.check();
          queue.rollUp();
          await queue.check();
        } finally {
          queue.close();
        }
      }),
      { seed: 35, numRuns: 60 },
    );
  });
});
