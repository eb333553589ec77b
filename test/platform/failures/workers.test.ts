import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { failWrite } from '../failingWrites.ts';
import { FailureWorld, HOOKS } from './failureWorld.ts';
import type { Backend } from '../../../src/platform/balancer/backend.ts';
import type { BalancedEndpoint } from '../../../src/platform/balancer/balancedEndpoint.ts';
import type { WorkerPool } from '../../../src/platform/workers/workerPool.ts';
import { privateField } from './privateFields.ts';
import { runSync, sweep } from './sweep.ts';

const WEBHOOK = `${HOOKS}ended`;
const CRASH = { code: 1, signal: null };
const ON_DEMAND = { min: 0, max: 1, idleTimeout: 5 };

interface Held {
  readonly endpointId: string;
  readonly ids: readonly string[];
}

/** Submits jobs that one worker takes, and lets a caller wait for each. */
async function arrangeHeld(world: FailureWorld, count: number, rest: object = { webhook: WEBHOOK }): Promise<Held> {
  const endpointId = await world.createEndpoint();
  for (let job = 0; job < count; job++) runSync(world, endpointId, rest);
  await world.settle();
  const jobs = await world.succeeds<{ id: string }[]>(world.worker(endpointId).take(count + 1));
  assert.equal(jobs.length, count);
  return { endpointId, ids: jobs.map(({ id }) => id) };
}

const jobsOf = ({ store }: FailureWorld, { endpointId, ids }: Held) => ids.map((id) => store.jobs.get(endpointId, id));
const statusesOf = (world: FailureWorld, jobs: Held) => jobsOf(world, jobs).map((job) => job?.status);

describe('Workers on a full disk', () => {
  for (const count of [1, 3]) {
    sweep({
      name: `the loss of a worker with ${count} running job${count === 1 ? '' : 's'}`,
      arrange: (world) => arrangeHeld(world, count),
      act: (world, { endpointId }) => world.worker(endpointId).process.end(CRASH),
      verify: (world, jobs) => {
        assert.deepEqual(new Set(statusesOf(world, jobs)), new Set(['IN_QUEUE']));
        assert.deepEqual(new Set(jobsOf(world, jobs).map((job) => job?.lostWorkers)), new Set([1]));
      },
    });
  }
  sweep({
    name: 'the loss of a worker in the last attempt of its job',
    arrange: async (world) => {
      const jobs = await arrangeHeld(world, 1);
      for (let loss = 0; loss < 2; loss++) {
        world.worker(jobs.endpointId).process.end(CRASH);
        await world.advance(5_000);
        await world.worker(jobs.endpointId).takeJob();
      }
      return jobs;
    },
    act: (world, { endpointId }) => world.worker(endpointId).process.end(CRASH),
    verify: (world, jobs) => {
      assert.deepEqual(statusesOf(world, jobs), ['FAILED']);
      assert.deepEqual([...new Set(world.webhooks.map(({ body }) => body.status))], ['FAILED']);
    },
  });
  sweep({
    name: 'the loss of a job that heartbeats omit',
    arrange: (world) => arrangeHeld(world, 2),
    act: async (world, { endpointId, ids: [kept = ''] }) => {
      for (let ping = 0; ping < 3; ping++) {
        await world.advance(500);
        world.worker(endpointId).ping(kept);
        await world.settle();
      }
    },
    verify: (world, jobs) => assert.deepEqual(statusesOf(world, jobs), ['IN_PROGRESS', 'FAILED']),
  });
  sweep({
    name: 'the loss of the jobs of a worker that reports none',
    arrange: (world) => arrangeHeld(world, 2),
    act: (world, { endpointId }) => void world.worker(endpointId).take(),
    verify: (world, jobs) => assert.deepEqual(statusesOf(world, jobs), ['FAILED', 'FAILED']),
  });
  sweep({
    name: 'the loss of a job of a process whose successor requests jobs at once',
    arrange: (world) => arrangeHeld(world, 2),
    act: async (world, { endpointId, ids: [first = ''] }) => {
      const old = world.worker(endpointId);
      old.done(first, { output: 1, stopPod: true });
      await world.settle();
      const [present] = world.workers(endpointId);
      if (present?.process !== old.process) present?.take();
    },
    verify: (world, jobs) => assert.ok(!statusesOf(world, jobs).includes('FAILED')),
  });
  sweep({
    name: 'starting the first worker',
    arrange: (world) => world.createEndpoint({ workers: ON_DEMAND }),
    act: (world, endpointId) => world.run(endpointId),
    verify: (world, endpointId) => assert.equal(world.workers(endpointId).length, 1),
  });
  sweep({
    name: 'stopping an idle worker',
    arrange: async (world) => {
      const endpointId = await world.createEndpoint({ workers: ON_DEMAND, flashboot: 'OFF' });
      await world.submit(endpointId);
      await world.advance(100);
      const worker = world.worker(endpointId);
      await world.succeeds(worker.done(await worker.takeJob()));
      worker.take();
      await world.settle();
    },
    act: (world) => world.advance(6_000),
    verify: (world) => assert.equal(world.workers().length, 0),
  });
  const standingBy = async (world: FailureWorld): Promise<string> => {
    const endpointId = await world.createEndpoint({ workers: ON_DEMAND, flashboot: 'FLASHBOOT' });
    await world.submit(endpointId);
    await world.advance(100);
    const worker = world.worker(endpointId);
    await world.succeeds(worker.done(await worker.takeJob()));
    worker.take();
    await world.settle();
    return endpointId;
  };
  sweep({
    name: 'freezing an idle worker',
    arrange: standingBy,
    act: (world) => world.advance(6_000),
    verify: (world) =>
      assert.deepEqual(
        [...world.runtime.running].map(({ frozen }) => frozen),
        [true],
      ),
  });
  sweep({
    name: 'thawing a worker',
    arrange: async (world) => {
      const endpointId = await standingBy(world);
      await world.advance(6_000);
      assert.deepEqual(
        [...world.runtime.running].map(({ frozen }) => frozen),
        [true],
      );
      return endpointId;
    },
    act: (world, endpointId) => world.run(endpointId),
    verify: (world) =>
      assert.deepEqual(
        [...world.runtime.running].map(({ frozen }) => frozen),
        [false],
      ),
  });
  sweep({
    name: 'the end of a frozen worker',
    arrange: async (world) => {
      await standingBy(world);
      await world.advance(6_000);
    },
    act: (world) => [...world.runtime.running].forEach(({ end }) => end(CRASH)),
    verify: (world) => assert.deepEqual([...world.runtime.running], []),
  });
  sweep({
    name: 'restarting a load-balanced worker',
    arrange: async (world) => {
      const id = await world.createEndpoint({
        type: 'LOAD_BALANCER',
        scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      });
      await world.until('the process is up', () => world.runtime.running.size === 1);
      const balanced = world.services.engine.endpoint(id) as BalancedEndpoint;
      const pool = (balanced as unknown as { readonly workers: WorkerPool }).workers;
      return { balanced, pool, old: [...world.runtime.running][0] };
    },
    act: async (world, { pool, old }) => {
      await world.settle();
      pool.active().forEach((worker) => pool.restart(worker, 'requested by a test'));
      await world.until('another process is up, or a retry of its start is scheduled', () => {
        const [present] = world.runtime.running;
        return (present !== undefined && present !== old) || world.clock.pendingOrigins().includes('worker.ts');
      });
    },
    recover: async (world) => {
      await world.advance(5_000);
      await world.until('another process is up', () => world.runtime.running.size === 1);
    },
    verify: (world, { balanced }) => {
      const [present] = world.runtime.running;
      const [backend] = privateField<Map<string, Backend>>(balanced, '#backends').values();
      assert.ok(backend?.server, 'the server of the new process is known');
      assert.ok(Object.values(present?.env ?? {}).includes(String(backend.server.address.port)));
    },
  });
  sweep({
    name: 'the recovery of running jobs after a kill',
    arrange: (world) => arrangeHeld(world, 2),
    act: (world) => world.kill().catch(() => undefined),
    recover: async (world) => {
      if (world.isUp) return;
      await world.kill();
    },
    verify: (world, jobs) => assert.deepEqual(statusesOf(world, jobs), ['IN_QUEUE', 'IN_QUEUE']),
  });
});

describe('A platform that shuts down while the disk is full', () => {
  it('retries nothing after it has closed', async () => {
    const world = await FailureWorld.open();
    const { endpointId } = await arrangeHeld(world, 2);
    const failing = failWrite(1, { lasting: true });
    try {
      world.worker(endpointId).process.end(CRASH);
      await world.settle();
      await world.close();
      assert.deepEqual(world.clock.pendingOrigins(), []);
    } finally {
      failing.restore();
    }
  });
});

describe('Endpoints on a full disk', () => {
  const named = (world: FailureWorld, name: string) =>
    world.store.endpoints.list().find((endpoint) => endpoint.name === name);

  sweep({
    name: 'creating an endpoint',
    arrange: () => undefined,
    act: (world) => world.callCreateEndpoint({ name: 'new', workers: { min: 2, max: 2, idleTimeout: 3600 } }),
    verify: (world) => assert.ok(named(world, 'new')),
  });
  sweep({
    name: 'updating a field that its workers do not use',
    arrange: (world) => arrangeHeld(world, 1),
    act: (world, { endpointId: id }) =>
      world.call(operations.updateEndpoint, { parameters: { id }, body: { name: 'renamed' } }),
    verify: (world) => assert.ok(named(world, 'renamed')),
  });
  sweep({
    name: 'an update that replaces its workers',
    arrange: (world) => world.createEndpoint({ workers: { min: 2, max: 2, idleTimeout: 3600 } }),
    act: (world, id) => world.call(operations.updateEndpoint, { parameters: { id }, body: { env: { COLOR: 'blue' } } }),
    verify: (world) => assert.ok(world.workers().every(({ process }) => process.env['COLOR'] === 'blue')),
  });
  sweep({
    name: 'an update while its worker has a job',
    arrange: (world) => arrangeHeld(world, 1),
    act: (world, { endpointId: id }) =>
      world.call(operations.updateEndpoint, { parameters: { id }, body: { env: { COLOR: 'blue' } } }),
    verify: (world, jobs) => assert.deepEqual(statusesOf(world, jobs), ['IN_PROGRESS']),
  });
  const deleting = (world: FailureWorld, id: string) => world.call(operations.deleteEndpoint, { parameters: { id } });
  sweep({
    name: 'deleting an endpoint',
    arrange: (world) => world.createEndpoint(),
    act: deleting,
    verify: (world) => assert.deepEqual([world.store.endpoints.list(), world.workers()], [[], []]),
  });
  sweep({
    name: 'deleting an endpoint with waiting and running jobs',
    arrange: async (world) => {
      const jobs = await arrangeHeld(world, 2);
      runSync(world, jobs.endpointId, { webhook: WEBHOOK });
      world.call(operations.streamJob, {
        ...{ parameters: { endpointId: jobs.endpointId, jobId: jobs.ids[0] ?? '' }, query: { wait: 300_000 } },
      });
      await world.settle();
      return jobs;
    },
    act: (world, { endpointId }) => deleting(world, endpointId),
    verify: (world) => {
      assert.deepEqual([world.store.endpoints.list(), world.workers()], [[], []]);
      assert.equal(world.webhooks.length >= 3, true, 'every job was reported as canceled');
    },
  });
});
