import assert from 'node:assert/strict';
import { isTerminal } from '../../../src/contract/job.ts';
import { pino } from 'pino';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import type { JobRecord } from '../../../src/platform/domain/job.ts';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import type { QueueEndpoint } from '../../../src/platform/queue/queueEndpoint.ts';
import type { ProcessExit } from '../../../src/contract/systemLines.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { isStorageFull } from '../../../src/platform/storageFull.ts';
import { STORAGE_RETRY_MS } from '../../../src/platform/store/untilStored.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { failWrite, type FailingWrite } from '../failingWrites.ts';
import { stubRuntime, stubSurroundings, stubWorker } from '../stubRuntime.ts';
import { eventually, manualClock } from '../support.ts';

const body: CreateEndpointBody = {
  name: 'e',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
  image: 'process:/',
  cmd: ['none'],
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
  workers: { min: 1, max: 1 },
};

/** No scenario has as many writes. */
const MOST_WRITES = 100;

describe('A write that fails at any point', () => {
  let store: Store;
  let engine: Engine;
  let queue: QueueEndpoint;
  let clock: ReturnType<typeof manualClock>;
  let endProcess: (exit: ProcessExit) => void;
  let failing: FailingWrite | undefined;
  const never = new AbortController().signal;

  const runtime = stubRuntime(() => {
    const worker = stubWorker();
    endProcess = worker.end;
    return Promise.resolve(worker);
  });

  async function open(): Promise<void> {
    store = openSqliteStore(':memory:');
    clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
    engine = new Engine({
      ...{ store, clock, realWaits: clock, runtime, capacity: new HostCapacity(1) },
      ...{ ...stubSurroundings, log: pino({ enabled: false }), graceMs: 0 },
      referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
    });
    engine.start();
    const live = engine.endpoint(engine.createEndpoint(body, { id: 'e' }).id);
    assert.ok(live.type === 'QUEUE');
    queue = live;
    await eventually('the worker has started', () => queue.views()[0]?.startedAt !== undefined);
  }

  async function close(): Promise<void> {
    failing?.restore();
    failing = undefined;
    await engine.close();
    store.close();
  }

  const workerId = (): string => queue.views()[0]?.id ?? '';
  const take = () => queue.take(workerId(), { limit: 1, hasJobs: false, userAgent: '' }, never);

  /** Waits for the end of a job and checks, whenever something is reported, that exactly this is stored. */
  function watch(job: JobRecord): { readonly reported: string[] } {
    const reported: string[] = [];
    const check = (told: JobRecord): boolean => {
      const stored = store.jobs.get('e', job.id);
      if (stored) assert.equal(told.status, stored.status, 'the reported status is the stored one');
      reported.push(told.status);
      return isTerminal(told.status);
    };
    engine.jobs.waitFor(job, 1e9, never, (told) => (told === job ? false : check(told))).catch(() => undefined);
    return { reported };
  }

  /**
   * Runs a scenario again and again; each time the next of its writes fails.
   *
   * @param act what is done while writes may fail; a rejection for the full disk is passed over
   * @param verify what holds after the disk has room again
   */
  function everyWrite(
    name: string,
    prepare: () => Promise<JobRecord>,
    act: (job: JobRecord) => unknown,
    verify: (job: JobRecord, refused: boolean) => Promise<void> | void,
  ): void {
    it(name, async () => {
      let writes = 0;
      for (;;) {
        await open();
        try {
          const job = await prepare();
          const { reported } = watch(job);
          failing = failWrite(writes + 1);
          let refused = false;
          try {
            await act(job);
          } catch (error) {
            assert.ok(isStorageFull(error), String(error));
            refused = true;
          }
          const failed = failing.failed();
          failing.restore();
          clock.advance(2 * STORAGE_RETRY_MS);
          await verify(job, refused);
          const last = reported.at(-1);
          const stored = store.jobs.get('e', job.id);
          if (last !== undefined && stored) assert.equal(stored.status, last, 'the last report is what is stored');
          if (!failed) break;
          writes++;
          assert.ok(writes < MOST_WRITES);
        } finally {
          await close();
        }
      }
      assert.ok(writes > 0, 'the scenario writes');
    });
  }

  const submitted = (): Promise<JobRecord> => queue.submit({ input: {} }, 'run');
  async function taken(): Promise<JobRecord> {
    const offer = take();
    const { id } = await submitted();
    await offer;
    const job = store.jobs.get('e', id);
    assert.equal(job?.status, 'IN_PROGRESS');
    return job;
  }
  const storedStatus = ({ id }: JobRecord) => store.jobs.get('e', id)?.status;

  everyWrite(
    'leaves a job that is canceled either waiting or canceled, and a retry succeeds',
    submitted,
    (job) => queue.jobs.cancel(job.id),
    (job, refused) => {
      assert.equal(storedStatus(job), refused ? 'IN_QUEUE' : 'CANCELLED');
      if (refused) queue.jobs.cancel(job.id);
      assert.equal(storedStatus(job), 'CANCELLED');
    },
  );

  everyWrite(
    'leaves a job whose worker is gone in the queue, with its lease released once',
    taken,
    async () => {
      endProcess({ code: 1, signal: null });
      await eventually('the worker has failed', () => queue.views()[0]?.failed === true);
    },
    (job) => {
      assert.equal(storedStatus(job), 'IN_QUEUE');
      assert.equal(store.jobs.get('e', job.id)?.lostWorkers, 1);
      assert.equal(queue.views()[0]?.load, 0);
    },
  );

  everyWrite(
    'leaves an endpoint either whole or deleted with its jobs, and a retry succeeds',
    submitted,
    () => engine.deleteEndpoint('e'),
    (job, refused) => {
      assert.equal(engine.endpoints().length, refused ? 1 : 0);
      assert.equal(store.endpoints.list().length, refused ? 1 : 0);
      assert.equal(storedStatus(job), refused ? 'IN_QUEUE' : undefined);
      if (refused) engine.deleteEndpoint('e');
      assert.deepEqual([engine.endpoints(), store.endpoints.list(), storedStatus(job)], [[], [], undefined]);
    },
  );

  everyWrite(
    'leaves a finished job stored before its worker is answered',
    taken,
    async (job) => {
      const finished = queue.finished(workerId(), job.id, { output: 1 }, false);
      await eventually('the result is stored', () => {
        clock.advance(STORAGE_RETRY_MS);
        return storedStatus(job) === 'COMPLETED';
      });
      await finished;
    },
    (job) => {
      assert.equal(storedStatus(job), 'COMPLETED');
      assert.equal(queue.views()[0]?.load, 0);
    },
  );

  everyWrite(
    'leaves a job whose life ends either stored or reported as timed out',
    () => queue.submit({ input: {}, policy: { ttl: 10_000 } }, 'run'),
    async (job) => {
      clock.advance(10_000);
      await eventually('the job is gone', () => {
        clock.advance(STORAGE_RETRY_MS);
        return storedStatus(job) === undefined;
      });
    },
    (job) => assert.equal(storedStatus(job), undefined),
  );
});
