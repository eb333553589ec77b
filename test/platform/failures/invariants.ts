import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { JOB_STATUSES } from '../../../src/contract/job.ts';
import { workerPrice } from '../../../src/platform/domain/workerPrices.ts';
import type { EndpointRecord } from '../../../src/platform/domain/endpoint.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { owedBefore, type Usage } from '../../../src/platform/domain/metering.ts';
import { volumeUsage, workerUsage } from '../../../src/platform/domain/usage.ts';
import type { Leases } from '../../../src/platform/queue/leases.ts';
import type { QueueEndpoint } from '../../../src/platform/queue/queueEndpoint.ts';
import type { WorkerPool } from '../../../src/platform/workers/workerPool.ts';
import type { LiveEndpoint } from '../../../src/platform/workers/liveEndpoint.ts';
import type { Worker } from '../../../src/platform/workers/worker.ts';
import { HOUR_MS, jobsOf, ratesOf } from './contents.ts';
import type { FailureWorld } from './failureWorld.ts';
import { privateField, privateNumber } from './privateFields.ts';

/* Conditions that hold whenever the platform is at rest: its state in memory matches its store. */

export async function checkInvariants(world: FailureWorld): Promise<void> {
  const { store, services, runtime, capacity } = world;
  const live = services.engine.endpoints();
  const records = (endpoints: readonly EndpointRecord[]) =>
    JSON.parse(JSON.stringify([...endpoints].sort(byId))) as unknown;
  assert.deepEqual(records(live.map(({ endpoint }) => endpoint)), records(store.endpoints.list()));
  const queues = live.filter((endpoint) => 'take' in endpoint) as QueueEndpoint[];
  for (const queue of queues) checkQueue(world, queue);
  const workers = live.flatMap((endpoint) => [...workersOf(endpoint).values()]);
  assert.deepEqual(
    store.runs
      .listOpen()
      .map(({ id }) => id)
      .sort(),
    [...runtime.running].map(({ runId }) => runId).sort(),
    'the open runs match the running processes',
  );
  const admitted = workers.filter(({ view, frozen }) => !view.throttled && !frozen);
  assert.equal(privateNumber(capacity, '#taken'), admitted.length, 'every occupied slot belongs to a worker');
  checkMemory(world);
  checkCounts(world);
  checkTraces(world);
  checkRates(world);
  await checkDirectories(world);
}

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => one.id.localeCompare(other.id);

/** Checks that each worker holds its jobs in progress. This is true even while the disk is full. */
export function checkHeld({ store, services }: FailureWorld): void {
  for (const live of services.engine.endpoints()) {
    const workers = workersOf(live);
    for (const id of store.jobs.ids(live.endpoint.id, 'IN_PROGRESS', {})) {
      const worker = workers.get(store.jobs.get(live.endpoint.id, id)?.workerId ?? '');
      if (worker) assert.ok(worker.work.has(id), `job ${id} is in progress but was already released`);
    }
  }
}

const workersOf = (endpoint: LiveEndpoint) =>
  privateField<Map<string, Worker>>((endpoint as unknown as { readonly workers: WorkerPool }).workers, '#workers');

function checkQueue({ store }: FailureWorld, queue: QueueEndpoint): void {
  const { id: endpointId } = queue.endpoint;
  const leasesById = privateField<Map<string, Leases>>(privateField<object>(queue, '#leased'), '#leases');
  const workers = workersOf(queue);
  const inProgress = store.jobs.ids(endpointId, 'IN_PROGRESS', {}).map((id) => store.jobs.get(endpointId, id));
  for (const job of inProgress) {
    assert.ok(job);
    const leases = leasesById.get(job.workerId ?? '');
    assert.ok(leases?.has(job.id) === true, `job ${job.id} is IN_PROGRESS, so a worker has a lease`);
    assert.ok(privateField<Map<string, unknown>>(leases, '#cancelDeadline').has(job.id), 'the lease has a deadline');
  }
  for (const [workerId, leases] of leasesById) {
    const worker = workers.get(workerId);
    assert.ok(worker, 'leases belong to an existing worker');
    const revoked = privateField<Set<string>>(leases, '#revoked');
    for (const jobId of worker.work) {
      const job = store.jobs.get(endpointId, jobId);
      const isItsOwn = job?.status === 'IN_PROGRESS' && job.workerId === workerId;
      assert.ok(isItsOwn || revoked.has(jobId), `a worker holds job ${jobId} with status ${job?.status ?? 'deleted'}`);
    }
    for (const field of ['#cancelDeadline', '#missedPings', '#revoked', '#storing']) {
      const known = [...privateField<Map<string, unknown> | Set<string>>(leases, field).keys()];
      assert.deepEqual(
        known.filter((jobId) => !worker.work.has(jobId)),
        [],
        `${field} holds only jobs of the worker`,
      );
    }
  }
  for (const worker of workers.values()) if (!leasesById.has(worker.id)) assert.equal(worker.load, 0);
}

/** Checks that memory contains nothing that has ended. */
function checkMemory({ services: { engine, images }, store, calls }: FailureWorld): void {
  const deliveries = privateField<Map<unknown, unknown>>(privateField<object>(engine, '#webhooks'), '#active');
  assert.equal(deliveries.size, 0, 'no delivery is in progress');
  assert.equal(privateField<Map<unknown, unknown>>(engine, '#closing').size, 0, 'no endpoint is being deleted');
  const removal = privateField<Map<unknown, unknown>>(privateField<object>(engine, '#removal'), '#endpoints');
  assert.equal(removal.size, 0, 'no deleted endpoint has rows');
  assert.deepEqual(store.endpoints.removed(), []);
  assert.equal(privateField<Map<unknown, unknown>>(images, '#running').size, images.health().running);
  const waited = privateField<Map<string, { readonly listeners: Set<unknown> }>>(
    privateField<object>(engine.jobs, '#waits'),
    '#waited',
  );
  const waits = [...waited.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
  const open = calls.filter(({ answer, what }) => !answer && !what.includes('/job-')).length;
  assert.ok(waits <= open, `${waits} waits for jobs by ${open} callers`);
  const nextExpiry = store.jobs.nextExpiry() ?? Infinity;
  assert.ok(
    privateNumber(privateField<object>(engine.jobs, '#expiry'), '#nextSweep') <= nextExpiry,
    'the next expiry is scheduled',
  );
}

function checkCounts({ store }: FailureWorld): void {
  for (const { id } of store.endpoints.list()) {
    const counts = store.jobs.count(id);
    for (const status of JOB_STATUSES) assert.equal(counts[status], store.jobs.ids(id, status, {}).length, status);
  }
}

/** Checks that each requeue, delivery, and stream of a job has been recorded once. */
function checkTraces({ store }: FailureWorld): void {
  for (const job of store.endpoints.list().flatMap(({ id }) => jobsOf(store, id))) {
    const events = store.traces.jobEvents(job.id);
    const ended = events.filter(({ kind }) => kind === 'attemptEnded').map(({ attempt }) => attempt);
    const requeues = Array.from({ length: job.retries }, (_, index) => index + 1);
    assert.deepEqual(ended, requeues, 'each attempt that did not end the job is recorded');
    // A job that is retried has another webhook.
    const keys = events.map(({ kind, attempt }, index) => {
      const retries = events.slice(0, index).filter((event) => event.kind === 'attemptEnded').length;
      return `${kind} ${attempt} after ${retries} retries`;
    });
    assert.deepEqual(keys, [...new Set(keys)], 'each event is recorded once');
  }
}

/** Checks that exactly the running processes and the volumes are charged. */
function checkRates(world: FailureWorld): void {
  const { store, runtime } = world;
  const frozen = new Set([...runtime.running].filter((one) => one.frozen).map(({ runId }) => runId));
  const endpoints = new Map(store.endpoints.list().map((endpoint) => [endpoint.id, endpoint]));
  const ofRuns = store.runs.listOpen().flatMap(({ id, endpointId }) => {
    const endpoint = endpoints.get(endpointId);
    if (!endpoint || frozen.has(id)) return [];
    return workerUsage({ id, endpointId, startedAt: 0 }, { ...workerPrice(endpoint), diskGb: endpoint.disk ?? 0 });
  });
  const ofVolumes = store.resources
    .of(OWNER_ACCOUNT_ID)
    .networkVolumes.list()
    .map((volume) => volumeUsage(volume, 0));
  const expected = new Map<string, bigint>();
  const add = (usage: Usage): void => {
    const key = `${usage.resourceId} ${usage.kind}`;
    expected.set(key, (expected.get(key) ?? 0n) + owedBefore(usage, HOUR_MS));
  };
  [...ofRuns, ...ofVolumes].forEach(add);
  const rates = ratesOf(world);
  assert.deepEqual(Object.keys(rates).sort(), [...expected.keys()].filter((key) => expected.get(key) !== 0n).sort());
  for (const [key, rate] of Object.entries(rates)) {
    const difference = Number(BigInt(rate) - (expected.get(key) ?? 0n));
    assert.ok(Math.abs(difference) < 10, `${key} costs ${rate} per hour instead of ${expected.get(key) ?? 0}`);
  }
}

/** Waits until only volumes have directories, because other threads remove directories. */
async function checkDirectories(world: FailureWorld): Promise<void> {
  const { networkVolumes, globalVolumes } = world.store.resources.of(OWNER_ACCOUNT_ID);
  const ids = [...networkVolumes.list(), ...globalVolumes.list()].map(({ id }) => id);
  const [volumeId] = networkVolumes.list().map(({ id }) => id);
  if (volumeId === undefined) return;
  const mounts = { network: [{ volumeId, path: '/volume' }], global: [] };
  const [mount] = world.services.resources.mountsOf({ accountId: OWNER_ACCOUNT_ID, mounts });
  assert.ok(mount && existsSync(mount.directory));
  const { directory } = mount;
  const areRecords = (): boolean => readdirSync(path.dirname(directory)).every((name) => ids.includes(name));
  await world.until('every directory belongs to a volume', areRecords);
}
