import assert from 'node:assert/strict';
import { operations } from '../../../src/contract/operations.ts';
import { failWrite } from '../failingWrites.ts';
import { FailureWorld, type Call, type FakeWorker } from '../failures/failureWorld.ts';

/** Time for which a request of a worker is held open, in ms. */
const HOLD_MS = 25_000;
/** Time that a worker has to drop its only job, in ms. */
const DROP_MS = 5_000;
/** Time that a worker with other jobs has to drop one, in ms. */
const DROP_ONE_MS = 25_000;
/** Time after which an idle worker that requests no job is checked, in ms. */
const SILENCE_MS = 60_000;

describe('A worker of a queue', () => {
  let world: FailureWorld;
  let endpointId: string;
  let worker: FakeWorker;

  beforeEach(async () => {
    world = await FailureWorld.open();
    endpointId = await world.createEndpoint();
    worker = world.worker(endpointId);
  });

  afterEach(() => world.close());

  const job = (id: string) => world.store.jobs.get(endpointId, id);
  const statusOf = (id: string) => job(id)?.status;
  const isReplaced = () => !world.runtime.running.has(worker.process);
  const cancel = (jobId: string) =>
    world.succeeds(world.call(operations.cancelJob, { parameters: { endpointId, jobId } }));
  const taken = async (call: Call) => (await world.succeeds<{ id: string }[]>(call)).map(({ id }) => id);
  const submitMany = async (count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await world.submit(endpointId));
    return ids;
  };

  /** Lets the worker take a job and deliver its result. */
  async function finishOne(): Promise<void> {
    await world.submit(endpointId);
    await world.succeeds(worker.done(await worker.takeJob()));
  }

  for (const [what, request] of Object.entries({
    jobs: () => worker.take(),
    'the jobs to drop': () => worker.toStop(),
  })) {
    it(`gets an answer without a job after ${HOLD_MS} ms if it requests ${what} and there are none`, async () => {
      const call = request();
      await world.advance(HOLD_MS - 1);
      assert.equal(call.answer, undefined);
      await world.advance(1);
      await world.succeeds(call);
    });
  }

  it('gets as many waiting jobs as it requests, in their order', async () => {
    const ids = await submitMany(4);
    assert.deepEqual(await taken(worker.take(3)), ids.slice(0, 3));
    assert.deepEqual(await taken(worker.take(3, { hasJobs: true })), ids.slice(3));
  });

  it('gets waiting jobs in turns with another worker', async () => {
    const shared = await world.createEndpoint({ workers: { min: 2, max: 2, idleTimeout: 3600 } });
    const requests = world.workers(shared).map((each) => each.take(2));
    await world.settle();
    const ids = Array.from({ length: 3 }, () => world.run(shared));
    const jobs = await Promise.all(ids.map((call) => world.succeeds<{ id: string }>(call)));
    const got = await Promise.all(requests.map(taken));
    assert.deepEqual(got.map((each) => each.length).sort(), [1, 2]);
    assert.deepEqual(got.flat().sort(), jobs.map(({ id }) => id).sort());
  });

  it('gets help from another worker while it is busy and a job waits', async () => {
    const shared = await world.createEndpoint({
      workers: { min: 0, max: 2 },
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
    });
    await world.submit(shared);
    await world.advance(5_000);
    await world.worker(shared).takeJob();
    assert.equal(world.workers(shared).length, 1);
    await world.submit(shared);
    await world.advance(5_000);
    assert.equal(world.workers(shared).length, 2);
  });

  it(`is replaced if it still has its only job ${DROP_MS} ms after the cancellation`, async () => {
    await world.submit(endpointId);
    await cancel(await worker.takeJob());
    await world.advance(DROP_MS - 1);
    assert.ok(!isReplaced());
    await world.advance(1);
    assert.ok(isReplaced());
  });

  it(`is replaced if it still has one of several jobs ${DROP_ONE_MS} ms after the cancellation`, async () => {
    const [canceled = '', other = ''] = await submitMany(2);
    await world.succeeds(worker.take(2));
    await cancel(canceled);
    await world.advance(DROP_ONE_MS - 1);
    assert.ok(!isReplaced());
    await world.advance(1);
    assert.ok(isReplaced());
    assert.equal(statusOf(other), 'IN_QUEUE');
  });

  it('keeps its process and its other job if one heartbeat omits the canceled job', async () => {
    const [canceled = '', other = ''] = await submitMany(2);
    await world.succeeds(worker.take(2));
    await cancel(canceled);
    await world.succeeds(worker.ping(other));
    await world.advance(2 * DROP_ONE_MS);
    assert.ok(!isReplaced());
    assert.equal(statusOf(other), 'IN_PROGRESS');
  });

  it('is replaced although its heartbeats name the canceled job', async () => {
    const [canceled = '', other = ''] = await submitMany(2);
    await world.succeeds(worker.take(2));
    await cancel(canceled);
    for (let beat = 0; beat < 3; beat++) await world.succeeds(worker.ping(canceled, other));
    await world.advance(DROP_ONE_MS);
    assert.ok(isReplaced());
  });

  it('loses a job that it has never named in a heartbeat with the third one', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    for (const expected of ['IN_PROGRESS', 'IN_PROGRESS', 'FAILED']) {
      await worker.pingLater();
      assert.equal(statusOf(id), expected);
    }
  });

  it('keeps a job that heartbeats omit which arrive together, because they were delayed', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    for (let beat = 0; beat < 5; beat++) await world.succeeds(worker.ping());
    for (let beat = 0; beat < 2; beat++) await worker.pingLater();
    for (let beat = 0; beat < 5; beat++) await world.succeeds(worker.ping());
    assert.equal(statusOf(id), 'IN_PROGRESS');
    await worker.pingLater();
    assert.equal(statusOf(id), 'FAILED');
  });

  it('can report on a job before its first request', async () => {
    await world.submit(endpointId);
    const [id = ''] = world.store.jobs.ids(endpointId, 'IN_QUEUE', {});
    await world.succeeds(worker.ping(id));
    await world.succeeds(worker.chunk(id, 'part'));
    await world.succeeds(worker.done(id));
    assert.equal(statusOf(id), 'IN_QUEUE');
  });

  it('keeps a job that heartbeats omit twice at a time', async () => {
    const [first = '', second = ''] = await submitMany(2);
    await world.succeeds(worker.take(2));
    for (const named of [[second], [second], [first, second], [second], [second]]) {
      await worker.pingLater(...named);
    }
    assert.equal(statusOf(first), 'IN_PROGRESS');
    await worker.pingLater(second);
    assert.deepEqual([statusOf(first), statusOf(second)], ['FAILED', 'IN_PROGRESS']);
  });

  it('keeps its process after it delivered the canceled job', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    await cancel(id);
    await world.succeeds(worker.done(id));
    await world.advance(DROP_MS);
    assert.ok(!isReplaced());
    assert.equal(statusOf(id), 'CANCELLED');
  });

  it('is told once to drop a job', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    const call = worker.toStop();
    await world.settle();
    await cancel(id);
    await cancel(id);
    assert.deepEqual(await world.succeeds(call), { jobsToStop: [id] });
    const again = worker.toStop();
    await world.settle();
    assert.equal(again.answer, undefined);
  });

  it('is told to drop a job that was canceled before its request', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    await cancel(id);
    assert.deepEqual(await world.succeeds(worker.toStop()), { jobsToStop: [id] });
  });

  it('gets a retried job at once, and is told again to drop it', async () => {
    await world.submit(endpointId, { policy: { executionTimeout: 10_000 } });
    const stop = worker.toStop();
    const id = await worker.takeJob();
    await world.advance(10_000);
    assert.deepEqual(await world.succeeds(stop), { jobsToStop: [id] });
    const next = worker.take();
    await world.settle();
    assert.equal(next.answer, undefined);
    await world.succeeds(world.call(operations.retryJob, { parameters: { endpointId, jobId: id } }));
    assert.equal((await world.succeeds<{ id: string }>(next)).id, id);
    await cancel(id);
    assert.deepEqual(await world.succeeds(worker.toStop()), { jobsToStop: [id] });
  });

  it('is not told to drop a job that it delivered in the meantime', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    await cancel(id);
    await world.succeeds(worker.done(id));
    const call = worker.toStop();
    await world.settle();
    assert.equal(call.answer, undefined);
  });

  it('loses a job at its time limit, and keeps its process if it drops the job', async () => {
    await world.submit(endpointId, { policy: { executionTimeout: 10_000 } });
    const call = worker.toStop();
    const id = await worker.takeJob();
    await world.advance(9_999);
    assert.equal(statusOf(id), 'IN_PROGRESS');
    await world.advance(1);
    assert.deepEqual(await world.succeeds(call), { jobsToStop: [id] });
    assert.equal(statusOf(id), 'TIMED_OUT');
    worker.take();
    await world.advance(DROP_MS);
    assert.ok(!isReplaced());
  });

  it('that cannot drop single jobs is replaced at the time limit of a job', async () => {
    await world.submit(endpointId, { policy: { executionTimeout: 10_000 } });
    const id = await worker.takeJob();
    await world.advance(10_000);
    assert.equal(statusOf(id), 'TIMED_OUT');
    assert.ok(isReplaced());
  });

  it('has no time limit for a job that it has delivered', async () => {
    await world.submit(endpointId, { policy: { executionTimeout: 10_000 } });
    const id = await worker.takeJob();
    await world.succeeds(worker.done(id));
    await world.advance(10_000);
    assert.equal(statusOf(id), 'COMPLETED');
    assert.ok(!isReplaced());
  });

  it('completes a job whose result arrived in time, although the disk is full past its time limit', async () => {
    await world.submit(endpointId, { policy: { executionTimeout: 10_000 } });
    const id = await worker.takeJob();
    const full = failWrite(1, { lasting: true });
    try {
      const call = worker.done(id);
      await world.advance(20_000);
      assert.equal(call.answer, undefined);
      full.restore();
      await world.advance(2_000);
      await world.succeeds(call);
    } finally {
      full.restore();
    }
    assert.equal(statusOf(id), 'COMPLETED');
    assert.ok(!isReplaced());
  });

  it('delivers a chunk that arrived while the disk was full, once there is room', async () => {
    await world.submit(endpointId);
    const id = await worker.takeJob();
    const full = failWrite(1, { lasting: true });
    let call: Call;
    try {
      call = worker.chunk(id, 'part');
      await world.advance(20_000);
      assert.equal(call.answer, undefined);
    } finally {
      full.restore();
    }
    await world.advance(2_000);
    await world.succeeds(call);
    const stream = world.call(operations.streamJob, { parameters: { endpointId, jobId: id } });
    assert.deepEqual(await world.succeeds(stream), { status: 'IN_PROGRESS', stream: [{ output: 'part' }] });
  });

  it(`is replaced if it requests no job for ${SILENCE_MS} ms after its result while a job waits`, async () => {
    await finishOne();
    const waiting = await world.submit(endpointId);
    await world.advance(SILENCE_MS - 1);
    assert.ok(!isReplaced());
    await world.advance(1);
    assert.ok(isReplaced());
    assert.equal(statusOf(waiting), 'IN_QUEUE');
  });

  it(`is replaced if it requests no job for ${SILENCE_MS} ms after an answer without a job while a job waits`, async () => {
    const call = worker.take();
    await world.advance(HOLD_MS);
    await world.succeeds(call);
    await world.submit(endpointId);
    await world.advance(SILENCE_MS - 1);
    assert.ok(!isReplaced());
    await world.advance(1);
    assert.ok(isReplaced());
  });

  it('is kept while no job waits, and replaced later if one does', async () => {
    await finishOne();
    await world.advance(3 * SILENCE_MS);
    assert.ok(!isReplaced());
    await world.submit(endpointId);
    await world.advance(SILENCE_MS);
    assert.ok(isReplaced());
  });

  it('is kept if it requests a job in time, and has a job for longer', async () => {
    await finishOne();
    await world.submit(endpointId);
    await world.advance(SILENCE_MS - 1);
    await worker.takeJob();
    await world.submit(endpointId);
    await world.advance(3 * SILENCE_MS);
    assert.ok(!isReplaced());
  });

  it('has the whole time again after each result, even if several arrived together before', async () => {
    const ids = await submitMany(2);
    await world.succeeds(worker.take(2));
    for (const id of ids) await world.succeeds(worker.done(id));
    await world.submit(endpointId);
    const third = await worker.takeJob();
    await world.advance(SILENCE_MS - 1);
    await world.succeeds(worker.done(third));
    await world.submit(endpointId);
    await world.advance(SILENCE_MS - 1);
    assert.ok(!isReplaced());
    await world.advance(1);
    assert.ok(isReplaced());
  });

  it(`is replaced at most ${2 * SILENCE_MS} ms after several results that arrived together`, async () => {
    const ids = await submitMany(2);
    await world.succeeds(worker.take(2));
    for (const id of ids) await world.succeeds(worker.done(id));
    await world.submit(endpointId);
    await world.advance(2 * SILENCE_MS);
    assert.ok(isReplaced());
  });

  it('is kept while it has another job, although it requests none', async () => {
    const [first = '', second = ''] = await submitMany(2);
    await world.succeeds(worker.take(2));
    await world.succeeds(worker.done(first));
    await world.submit(endpointId);
    await world.advance(3 * SILENCE_MS);
    assert.ok(!isReplaced());
    assert.equal(statusOf(second), 'IN_PROGRESS');
  });

  it('can deliver a result again whose first delivery failed, and loses the job otherwise', async () => {
    for (const [again, expected] of [
      [true, 'COMPLETED'],
      [false, 'FAILED'],
    ] as const) {
      await world.submit(endpointId);
      const id = await worker.takeJob();
      const { jobs } = world.store;
      const update = jobs.update.bind(jobs);
      Object.assign(jobs, {
        update: () => {
          Object.assign(jobs, { update });
          throw new Error('the row is damaged');
        },
      });
      const failed = worker.done(id);
      await world.settle();
      assert.equal(failed.answer?.status, 500);
      if (again) await world.succeeds(worker.done(id));
      else for (let beat = 0; beat < 3; beat++) await worker.pingLater();
      assert.equal(statusOf(id), expected);
    }
  });
});
