import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import type { JobRequest } from '../../src/contract/job.ts';
import { transition, createJob } from '../../src/platform/domain/job.ts';
import { createEndpoint } from '../../src/platform/domain/endpoint.ts';
import { OWNER_ACCOUNT_ID } from '../../src/platform/domain/account.ts';
import { HOUR_MS } from '../../src/platform/domain/metering.ts';
import { workerUsage } from '../../src/platform/domain/usage.ts';
import { openSqliteStore } from '../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../src/platform/store/store.ts';

export const ENDPOINTS = 10_000;
export const JOBS = 1_000_000;
export const USAGE_ROWS = 1_000_000;
/** Endpoint with more than half of all jobs, which have ended. */
export const FINISHED_ENDPOINT = 'finished';
export const FINISHED_JOBS = 550_000;
/** Endpoint whose jobs wait for workers. */
export const QUEUED_ENDPOINT = 'queued';
export const QUEUED_JOBS = 100_000;

const BATCH = 5_000;
/** Time over which the usage is spread, in ms. */
const PAST_MS = 365 * 24 * HOUR_MS;
const RUN_MS = 600_000;

/** Writes a large database with the same calls as the platform. None of its endpoints has workers. */
export function fillLargeDatabase(file: string): void {
  const store = openSqliteStore(file);
  const now = Date.now();
  const ids = [FINISHED_ENDPOINT, QUEUED_ENDPOINT, ...named(ENDPOINTS - 2)];
  inBatches(store, ids.length, (index) => insertEndpoint(store, ids[index] ?? '', now));
  inBatches(store, JOBS, (index) => insertJob(store, { index, endpointId: endpointOf(index, ids), now }));
  // A worker on a CPU without a disk has one row of usage.
  inBatches(store, USAGE_ROWS, (index) => {
    const startedAt = now - PAST_MS + Math.floor((index / USAGE_ROWS) * (PAST_MS - RUN_MS));
    const price = { resource: 'cpu', nanoUsdPerSecond: 10_000, diskGb: 0 } as const;
    const run = { id: `run${index}`, endpointId: ids[index % ids.length] ?? '', startedAt };
    for (const usage of workerUsage(run, price)) store.usage.start(usage);
    store.usage.end(run.id, startedAt + RUN_MS);
  });
  store.close();
}

const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `endpoint${index}`);

function inBatches(store: Store, count: number, write: (index: number) => void): void {
  for (let first = 0; first < count; first += BATCH) {
    store.transaction(() => {
      for (let index = first; index < Math.min(first + BATCH, count); index++) write(index);
    });
  }
}

function insertEndpoint(store: Store, id: string, now: number): void {
  const body: CreateEndpointBody = {
    ...{ name: id, type: 'QUEUE', image: 'process:/nowhere', cmd: ['true'], workers: { min: 0, max: 0 } },
    ...{ scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
  };
  const anything = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true };
  store.endpoints.insert(createEndpoint(body, { ...anything, id, accountId: OWNER_ACCOUNT_ID, now }));
}

function endpointOf(index: number, ids: readonly string[]): string {
  if (index < FINISHED_JOBS) return FINISHED_ENDPOINT;
  if (index < FINISHED_JOBS + QUEUED_JOBS) return QUEUED_ENDPOINT;
  return ids[2 + (index % (ids.length - 2))] ?? '';
}

function insertJob(store: Store, of: { index: number; endpointId: string; now: number }): void {
  const { index, endpointId, now } = of;
  const request: JobRequest = { input: { prompt: `a prompt of usual length, number ${index}` } };
  const queued = createJob(request, { id: `job-${index}`, endpointId, now });
  store.jobs.insert(queued, request);
  if (endpointId === QUEUED_ENDPOINT) return;
  const taken = transition(queued, { kind: 'taken', workerId: 'worker' }, now + 10) ?? queued;
  const output = { text: `a result of usual length, number ${index}` };
  store.jobs.update(queued, transition(taken, { kind: 'finished', output }, now + 250) ?? taken);
}
