import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import { systemClock as clock } from '../../../src/platform/time/clock.ts';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import type { LiveEndpoint } from '../../../src/platform/workers/liveEndpoint.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { RunStore } from '../../../src/platform/store/runStore.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { stubRuntime, stubDependencies, stubWorker } from '../stubRuntime.ts';
import { eventually } from '../support.ts';

/** Creates a runtime whose processes start when the test releases them, and end when they are stopped. */
function gatedRuntime() {
  const held: (() => void)[] = [];
  let up = 0;
  const runtime = stubRuntime(async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    up++;
    const worker = stubWorker();
    void worker.exited.then(() => up--);
    return worker;
  });
  const release = (): number => held.splice(0).map((start) => start()).length;
  return { runtime, held, release, running: () => up };
}

/** Maximum number of workers created in one turn of the event loop. */
const STEP = 10;
const HUGE = 1_000_000;

const TYPES = ['QUEUE', 'LOAD_BALANCER'] as const;

for (const type of TYPES) {
  describe(`WorkerPool of a ${type} endpoint with a minimum of one million workers`, () => {
    let store: Store;
    let engine: Engine;
    let processes: ReturnType<typeof gatedRuntime>;
    /** Workers created in each turn of the event loop. */
    let turns: number[];
    let created: number;
    let counting: NodeJS.Immediate;

    const body: CreateEndpointBody = {
      name: 'many',
      type,
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      image: 'process:/',
      cmd: ['none'],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
      workers: { min: HUGE, max: HUGE },
    };

    /** Opens a store that counts the workers that are created. */
    function countingStore(): Store {
      const counted = openSqliteStore(':memory:');
      const { runs } = counted;
      const insertWorker: RunStore['insertWorker'] = (worker) => {
        created++;
        runs.insertWorker(worker);
      };
      return { ...counted, runs: { ...runs, insertWorker } };
    }

    function open(limit: number, from = countingStore()): void {
      processes = gatedRuntime();
      [turns, created, store] = [[], 0, from];
      const countTurn = (): void => {
        turns.push(created - turns.reduce((sum, one) => sum + one, 0));
        counting = setImmediate(countTurn);
      };
      counting = setImmediate(countTurn);
      engine = new Engine({
        ...{ store, clock, realClock: clock, runtime: processes.runtime, capacity: new HostCapacity(limit) },
        ...{ ...stubDependencies, log: pino({ enabled: false }), graceMs: 0 },
        referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
      });
      engine.start();
    }

    const live = (): LiveEndpoint => {
      const [endpoint] = engine.endpoints();
      assert.ok(endpoint);
      return endpoint;
    };
    const starting = () => eventually('workers are starting', () => processes.held.length);
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    /** Resolves once no more workers are created. */
    async function settled(): Promise<void> {
      await eventually('no more workers are created', async () => {
        processes.release();
        const before = created;
        for (let count = 0; count < 100; count++) await turn();
        return created === before && processes.held.length === 0 && created > 10;
      });
    }

    /** Closes the engine. A process that is already starting finishes its start before it is stopped. */
    async function close(): Promise<void> {
      clearImmediate(counting);
      const end = { reached: false };
      const closed = engine.close().then(() => (end.reached = true));
      while (!end.reached) {
        processes.release();
        await turn();
      }
      await closed;
    }

    afterEach(async () => {
      await close();
      store.close();
    });

    it('creates workers in small batches, no faster than they start', async () => {
      open(99_999);
      engine.createEndpoint(body);
      for (let round = 0; round < 5; round++) {
        const before = await starting();
        assert.ok(before <= STEP, `${before} workers start at the same time`);
        for (let count = 0; count < 20; count++) await turn();
        assert.ok(created - processes.running() <= STEP, 'no more workers are created while these start');
        processes.release();
      }
      assert.ok(
        turns.every((step) => step <= STEP),
        `workers created in each turn: ${turns.filter((step) => step > 0).join(' ')}`,
      );
    });

    it('starts as many workers at the same time as the runtime allows', async () => {
      open(3 * STEP);
      processes.runtime.concurrentStarts = () => Infinity;
      engine.createEndpoint(body);
      await eventually('all workers start', () => processes.held.length === 3 * STEP);
    });

    it('only counts additional workers while the machine runs its maximum', async () => {
      open(3);
      engine.createEndpoint(body);
      await settled();
      assert.equal(processes.running(), 3);
      assert.ok(created <= 100, `${created} workers`);
      assert.equal(live().views().length, created);
      assert.equal(live().waiting, HUGE - created);
      assert.ok(
        turns.every((step) => step <= STEP),
        `workers created in each turn: ${turns.filter((step) => step > 0).join(' ')}`,
      );
    });

    it('creates no more workers once the endpoint is deleted or the platform stops', async () => {
      open(99_999);
      const endpoint = engine.endpoint(engine.createEndpoint(body).id);
      await starting();
      const before = created;
      engine.deleteEndpoint(endpoint.endpoint.id);
      assert.equal(endpoint.waiting, 0);
      await close();
      assert.equal(created, before);
      assert.equal(processes.running(), 0);
    });

    it('shrinks to a reduced maximum immediately', async () => {
      open(2);
      const endpoint = engine.endpoint(engine.createEndpoint(body).id);
      await settled();
      engine.updateEndpoint(endpoint.endpoint.id, { workers: { min: 1, max: 1 } }, () => ({}) as never);
      await eventually('one worker is left', () => endpoint.views().length === 1);
      assert.equal(endpoint.waiting, 0);
    });

    it('creates workers in the same way after a restart', async () => {
      open(2);
      engine.createEndpoint(body);
      await starting();
      await close();
      open(2, store);
      await settled();
      assert.ok(created <= 100, `${created} workers`);
      assert.ok(turns.every((step) => step <= STEP));
      assert.equal(live().waiting, HUGE - live().views().length);
    });
  });
}
