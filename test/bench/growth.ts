import path from 'node:path';
import process from 'node:process';
import { EndpointCache } from '../../src/account/endpoints/endpointCache.ts';

import { EndpointTree } from '../../src/features/endpoints/endpointTree.ts';
import { LogArchive } from '../../src/features/logs/archive/logArchive.ts';
import { Bills } from '../../src/platform/resources/bills.ts';
import { OWNER_ACCOUNT_ID } from '../../src/platform/domain/account.ts';
import { billingReport } from '../../src/platform/domain/billingReport.ts';
import type { JobRequest } from '../../src/contract/job.ts';
import { createJob } from '../../src/platform/domain/job.ts';
import { DAY_MS, USAGE_KINDS } from '../../src/platform/domain/metering.ts';
import { workerUsage } from '../../src/platform/domain/usage.ts';
import { JobQueue } from '../../src/platform/queue/jobQueue.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { endpoint, worker } from '../features/endpoints/sample.ts';
import { temporaryFolder } from './children.ts';

/** Numbers of rows or lines. */
export const SIZES = [1_000, 10_000, 100_000, 1_000_000] as const;

/** How the processor time of an operation grows. */
export interface Curve {
  readonly name: string;
  /** Kind of the rows. */
  readonly of: string;
  /** Processor time on the main thread in µs, for each of `SIZES`. */
  readonly microseconds: readonly number[];
}

/** Jobs of a round, and lines or jobs of a page. */
const PAGE = 100;
const FILL_BATCH = 5_000;
const NOW = Date.now();
const WORKERS_EACH = 5;

/** Measures every operation with each number of rows. */
export async function measureGrowth(): Promise<Curve[]> {
  const curves = new Map<string, { of: string; microseconds: number[] }>();
  for (const size of SIZES) {
    for (const setUp of [jobs, bill, tree, logView]) {
      const { of, operations, close } = await setUp(size);
      for (const [name, measured] of Object.entries(operations)) {
        const curve = curves.get(name) ?? { of, microseconds: [] };
        curve.microseconds.push((await processorTime(measured)) / measured.count);
        curves.set(name, curve);
      }
      await close();
    }
  }
  return [...curves].map(([name, curve]) => ({ name, ...curve }));
}

/** Prints the processor time of each operation for each number of rows. */
export async function run(): Promise<void> {
  for (const { name, of, microseconds } of await measureGrowth()) {
    const values = microseconds.map(
      (value, index) => `${SIZES[index]?.toLocaleString('en') ?? ''}: ${value.toFixed(1)} µs`,
    );
    console.log(`  ${`${name} (${of})`.padEnd(45)} ${values.join('   ')}`);
  }
}

/**
 * Returns the processor time of a round, in µs, which hardly depends on other processes. The system accounts it in steps of some
 * milliseconds, so only the time of many rounds is exact.
 */
async function processorTime({ operation, rounds }: Measured): Promise<number> {
  // V8 compiles the code in the first rounds.
  for (let round = 0; round < rounds / 5; round++) await operation();
  const before = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) await operation();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / rounds;
}

interface Measured {
  readonly operation: () => unknown;
  /** Number of operations in a round. */
  readonly count: number;
  readonly rounds: number;
}

interface Setup {
  readonly of: string;
  /** Operations by name. */
  readonly operations: Readonly<Record<string, Measured>>;
  readonly close: () => unknown;
}

function jobs(size: number): Setup {
  const store = openSqliteStore(path.join(temporaryFolder(), 'jobs.sqlite'));
  const request: JobRequest = { input: { prompt: 'a prompt of usual length' } };
  const endpointId = 'queued';
  inBatches(store, size, (index) => {
    store.jobs.insert(createJob(request, { id: `job-${index}`, endpointId, now: NOW }), request);
  });
  const events = { onSubmitted: () => undefined, onExpired: () => undefined, onWebhook: () => undefined };
  const queue = new JobQueue(store, { clock: systemClock, realClock: systemClock }, events);
  const takers = Array.from({ length: PAGE }, () => ({ workerId: 'w', version: 1, has: () => false, revoked: 0 }));
  return {
    of: 'waiting jobs',
    operations: {
      'accept a job': {
        operation: () => Promise.all(takers.map(() => queue.submit(endpointId, request, { kind: 'run' }))),
        count: PAGE,
        rounds: 100,
      },
      'list 100 jobs': { operation: () => store.jobs.queued(endpointId, PAGE), count: 1, rounds: 300 },
      'take a job': { operation: () => queue.dispatch(endpointId, takers), count: PAGE, rounds: 100 },
    },
    close: () => {
      queue.close();
      store.close();
    },
  };
}

function bill(size: number): Setup {
  const store = openSqliteStore(path.join(temporaryFolder(), 'usage.sqlite'));
  const year = 365 * DAY_MS;
  inBatches(store, size, (index) => {
    const startedAt = NOW - year + Math.floor((index / size) * (year - DAY_MS));
    const price = { resource: 'cpu', nanoUsdPerSecond: 10_000, diskGb: 0 } as const;
    for (const usage of workerUsage({ id: `run${index}`, endpointId: 'e', startedAt }, price)) store.usage.start(usage);
    store.usage.end(`run${index}`, startedAt + 600_000);
  });
  while (store.usage.settle(NOW));
  const bills = new Bills(store.usage, { ...systemClock, now: () => NOW });
  const query = { bucketSize: 'day', startTime: new Date(NOW - year).toISOString() } as const;
  const create = () => {
    const { sums, window } = bills.of(OWNER_ACCOUNT_ID, query, 'account', USAGE_KINDS);
    return [...billingReport(sums, window).batches];
  };
  return {
    of: 'rows of usage',
    operations: { 'bill a year by day': { operation: create, count: 1, rounds: 50 } },
    close: () => store.close(),
  };
}

/** A tree in which one worker changes. */
function tree(size: number): Setup {
  const cache = new EndpointCache();
  const ids = Array.from({ length: size / WORKERS_EACH }, (_, index) => `e${index}`);
  cache.takeList(
    ids.map((id) => ({ ...endpoint, id, name: id })),
    0,
  );
  const details = (id: string, round: number) => ({ workers: workersOf(id, round) });
  for (const id of ids) cache.takeDetails(id, details(id, 0), 1, NOW);
  const drawn = new EndpointTree({
    get endpoints() {
      return cache.snapshots;
    },
    find: (id) => cache.find(id),
    arrangement: () => ({ filter: '', sort: 'name', group: 'none', favorites: new Set() }),
    now: () => NOW,
  });
  for (const node of drawn.children()) drawn.children(node);
  let round = 1;
  const change = () => drawn.update(cache.takeDetails('e0', details('e0', round++), round, NOW));
  return {
    of: 'workers',
    operations: { 'update the tree': { operation: change, count: 1, rounds: 5_000 } },
    close: () => undefined,
  };
}

function workersOf(id: string, round: number) {
  const workers = Array.from({ length: WORKERS_EACH }, (_, index) =>
    worker(`${id}-${index}`, 'IDLE', { uptimeSeconds: 100 + (index === 0 ? round * 60 : 0) }),
  );
  const summary = { running: 0, idle: WORKERS_EACH, initializing: 0, throttled: 0, unhealthy: 0, total: WORKERS_EACH };
  return { workers, summary, endpointVersion: 2 };
}

async function logView(size: number): Promise<Setup> {
  const folder = path.join(temporaryFolder(), 'archive');
  const subject = { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId: 'w' };
  const archive = await LogArchive.open(folder, subject, { maxBytes: 1024 ** 3 });
  if (!archive) throw new Error('the archive is locked');
  for (let first = 0; first < size; first += FILL_BATCH) {
    archive.append(Array.from({ length: Math.min(FILL_BATCH, size - first) }, (_, index) => lineOf(first + index)));
    await archive.pressure();
  }
  const middle = size / 2;
  return {
    of: 'lines of a log',
    operations: { 'show 100 lines': { operation: () => archive.read(middle, middle + PAGE), count: 1, rounds: 500 } },
    close: () => archive.close(),
  };
}

function lineOf(index: number) {
  const ts = new Date(NOW + index).toISOString();
  const event = { source: 'container', line: `INFO handled request ${index} in ${index % 97} ms`, ts };
  return { event, id: ts, data: JSON.stringify(event) };
}

function inBatches(store: Store, count: number, write: (index: number) => void): void {
  for (let first = 0; first < count; first += FILL_BATCH) {
    store.transaction(() => {
      for (let index = first; index < Math.min(first + FILL_BATCH, count); index++) write(index);
    });
  }
}
