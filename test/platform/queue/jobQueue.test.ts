// Clauses of the interface: States and transitions.
import assert from 'node:assert/strict';
import { Refusal } from '../../../src/platform/domain/refusal.ts';
import { RETENTION_MS } from '../../../src/platform/domain/job.ts';
import { JobQueue } from '../../../src/platform/queue/jobQueue.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import { eventually, manualClock } from '../support.ts';

describe('JobQueue', () => {
  let store: Store;
  let clock: ReturnType<typeof manualClock>;
  let expired: string[];
  let book: JobQueue;
  const never = new AbortController().signal;

  beforeEach(() => {
    store = openSqliteStore(':memory:');
    clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
    expired = [];
    book = new JobQueue(
      store,
      { clock, realClock: clock },
      {
        onSubmitted: () => undefined,
        onExpired: ({ id }) => expired.push(id),
        onWebhook: () => undefined,
      },
    );
  });

  afterEach(() => {
    book.close();
    store.close();
  });

  const submit = (request: object = {}) => book.submit('e', { input: {}, ...request }, { kind: 'run' });
  const submitMany = (count: number) => Promise.all(Array.from({ length: count }, () => submit()));
  const taker = (workerId: string) => ({ workerId, version: 1, has: () => false, revoked: 0 });
  const dispatched = (count: number) => {
    const takers = Array.from({ length: count }, (_, index) => taker(`w${index}`));
    return book.dispatch('e', takers).map(({ job }) => job.id);
  };
  const isNotFound = (error: unknown): boolean => error instanceof Refusal && error.status === 404;

  for (const event of [{ kind: 'returned' }, { kind: 'workerLost', reason: 'stopped' }] as const) {
    it(`dispatches a job before all later jobs again after the event ${event.kind}`, async () => {
      const first = await submit();
      clock.advance(1_000);
      const second = await submit();
      assert.deepEqual(dispatched(1), [first.id]);
      clock.advance(1_000);
      book.apply('e', first.id, event);
      assert.deepEqual(dispatched(2), [first.id, second.id]);
    });
  }

  it('dispatches a retried job after the jobs that already wait', async () => {
    const first = await submit();
    clock.advance(1_000);
    const second = await submit();
    dispatched(1);
    book.apply('e', first.id, { kind: 'failed', error: 'no' });
    clock.advance(1_000);
    book.retry('e', first.id);
    assert.deepEqual(dispatched(2), [second.id, first.id]);
  });

  it('times out a job at its time to live, notifies its listeners, and deletes it', async () => {
    const job = await submit({ policy: { ttl: 10_000 } });
    const waiting = book.waitFor(job, 60_000, never);
    clock.advance(10_000);
    assert.equal((await waiting).status, 'TIMED_OUT');
    assert.throws(() => book.get('e', job.id), isNotFound);
    assert.deepEqual(expired, [job.id]);
    assert.throws(() => store.jobs.request(job.id));
  });

  it('keeps a result for the default retention time', async () => {
    const job = await submit();
    book.apply('e', job.id, { kind: 'taken', workerId: 'w' });
    book.apply('e', job.id, { kind: 'finished', output: 1 });
    clock.advance(RETENTION_MS - 1);
    assert.equal(book.get('e', job.id).output, 1);
    clock.advance(1);
    assert.throws(() => book.get('e', job.id), isNotFound);
    assert.deepEqual(expired, [], 'the job had already ended');
  });

  it('deletes many jobs that expire at the same time, in batches', async () => {
    await submitMany(1_000);
    store.transaction(() => {
      for (const id of store.jobs.ids('e', 'IN_QUEUE', {})) void book.setTtl('e', id, 10_000);
    });
    clock.advance(10_000);
    assert.equal(expired.length, 1_000);
    const { IN_QUEUE, TIMED_OUT } = store.jobs.count('e');
    assert.deepEqual([IN_QUEUE, TIMED_OUT], [0, 0]);
  });

  it('purges the jobs that are waiting at the time of the call, and lets other work run between batches', async () => {
    await submitMany(1_000);
    const purging = book.purge('e');
    await new Promise((resolve) => setImmediate(resolve));
    const { IN_QUEUE: left } = store.jobs.count('e');
    assert.ok(left > 0 && left < 1_000, `${left} jobs are left in the middle`);
    clock.advance(1);
    const later = await submit();
    assert.equal(await purging, 1_000);
    assert.deepEqual(store.jobs.ids('e', 'IN_QUEUE', {}), [later.id]);
    assert.equal(store.jobs.count('e').CANCELLED, 1_000);
  });

  it('purges a job whose submission is about to be stored', async () => {
    const submitted = submit();
    assert.equal(await book.purge('e'), 1);
    assert.equal(book.get('e', (await submitted).id).status, 'CANCELLED');
  });

  it('ends a purge after its current batch if it is closed', async () => {
    await submitMany(201);
    const purging = book.purge('e');
    book.close();
    assert.equal(await purging, 200);
    assert.equal(book.counts('e').IN_QUEUE, 1);
  });

  it('reports the end of a job to each caller that waits for it, even if another has stopped waiting', async () => {
    const job = await submit();
    const impatient = new AbortController();
    const stopped = book.waitFor(job, 5_000, impatient.signal);
    const waiting = book.waitFor(job, 5_000, never);
    impatient.abort();
    assert.equal((await stopped).status, 'IN_QUEUE');
    book.cancel('e', job.id);
    assert.equal((await waiting).status, 'CANCELLED');
  });

  it('passes the error of a condition on to the caller that waits, and keeps the change', async () => {
    const job = await submit();
    const failure = new Error('the condition failed');
    const waiting = book.waitFor(job, 5_000, never, ({ status }) => {
      if (status === 'CANCELLED') throw failure;
      return false;
    });
    book.cancel('e', job.id);
    await assert.rejects(waiting, (error) => error === failure);
    assert.equal(book.get('e', job.id).status, 'CANCELLED');
  });

  it('ends all waits with the known job if it is closed, because the store may be closed too', async () => {
    const job = await submit();
    const waiting = book.waitFor(job, 5_000, never);
    book.close();
    Object.assign(store.jobs, { get: () => assert.fail('the store is read') });
    assert.deepEqual(await waiting, job);
    assert.deepEqual(await book.waitFor(job, 5_000, never), job);
  });

  it('continues an interrupted purge after a restart, and keeps later jobs', async () => {
    await submitMany(1_000);
    const purging = book.purge('e');
    await new Promise((resolve) => setImmediate(resolve));
    book.close();
    const before = await purging;
    assert.ok(before < 1_000, `${before} jobs were canceled before the end`);
    clock.advance(1);
    const next = queueAt(clock.now());
    const later = await next.submit('e', { input: {} }, { kind: 'run' });
    next.recover();
    await eventually('the purge ends', () => store.jobs.purging().length === 0);
    assert.deepEqual(store.jobs.ids('e', 'IN_QUEUE', {}), [later.id]);
    assert.equal(store.jobs.count('e').CANCELLED, 1_000);
    next.close();
  });

  it('reports a new time to live once it is on disk', async () => {
    const { id } = await submit();
    const disk = Promise.withResolvers<undefined>();
    Object.assign(store, { flush: () => disk.promise });
    let isReported = false;
    const reported = book.setTtl('e', id, 10_000).then(() => (isReported = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!isReported);
    disk.resolve(undefined);
    await reported;
  });

  /** Opens another queue on the store. It has not deleted expired jobs yet. */
  const queueAt = (now: number): JobQueue => {
    const its = manualClock(now);
    const none = (): void => undefined;
    return new JobQueue(store, { clock: its, realClock: its }, { onSubmitted: none, onExpired: none, onWebhook: none });
  };

  it('purges waiting jobs after the clock was set back', async () => {
    await submitMany(3);
    const earlier = queueAt(clock.now() - 86_400_000);
    assert.equal(await earlier.purge('e'), 3);
    earlier.close();
  });

  it('accepts the key of a job again from its expiry on, even before the job is deleted', async () => {
    const request = { input: {}, policy: { ttl: 10_000 } };
    const first = await book.submit('e', request, { kind: 'run', key: 'key' });
    const [before, after] = [queueAt(first.expiresAt - 1), queueAt(first.expiresAt)];
    assert.equal((await before.submit('e', request, { kind: 'run', key: 'key' })).id, first.id);
    const second = await after.submit('e', { input: { n: 2 } }, { kind: 'run', key: 'key' });
    assert.notEqual(second.id, first.id);
    assert.equal(after.get('e', second.id).status, 'IN_QUEUE');
    before.close();
    after.close();
  });

  it('ignores results, progress, and chunks after the end of a job', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    const done = book.apply('e', id, { kind: 'finished', output: 'first' });
    assert.equal(book.apply('e', id, { kind: 'finished', output: 'second' }), undefined);
    assert.equal(book.apply('e', id, { kind: 'progress', output: 'late' }), undefined);
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'late');
    assert.deepEqual(book.get('e', id), done);
    assert.deepEqual(await book.takeChunks('e', id, 1_000, never), { status: 'COMPLETED', delivery: undefined });
  });

  it('ignores the late result of an earlier attempt by the same worker', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    const late = book.finish('e', id, { workerId: 'w', attempt: 0 }, { output: 'first' });
    book.apply('e', id, { kind: 'timedOut', afterMs: 1 });
    book.apply('e', id, { kind: 'retried' });
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    await late;
    assert.equal(book.apply('e', id, { kind: 'progress', output: 'first' }, { workerId: 'w', attempt: 0 }), undefined);
    assert.equal(book.get('e', id).status, 'IN_PROGRESS');
    await book.finish('e', id, { workerId: 'w', attempt: 1 }, { output: 'second' });
    assert.equal(book.get('e', id).output, 'second');
  });

  it('returns chunks in order, splits large texts, and returns chunks again only if they did not arrive', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'another', attempt: 0 }, 'not its job');
    book.appendChunk('e', id, { workerId: 'w', attempt: 1 }, 'not its attempt');
    const asked = book.takeChunks('e', id, 5_000, never);
    const text = 'ä'.repeat(1_048_576);
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, text);
    const { status, delivery } = await asked;
    assert.equal(status, 'IN_PROGRESS');
    assert.equal(delivery?.chunks.length, 2);
    assert.equal(delivery.chunks.join(''), text);
    const again = book.takeChunks('e', id, 5_000, never);
    delivery.returned();
    const { delivery: repeated } = await again;
    assert.deepEqual(repeated?.chunks, delivery.chunks);
    delivery.arrived();
    repeated.sent();
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'later');
    const { delivery: next } = await book.takeChunks('e', id, 5_000, never);
    assert.deepEqual(next?.chunks, ['later']);
    repeated.returned();
    next.arrived();
    const nothing = book.takeChunks('e', id, 5_000, never);
    clock.advance(5_000);
    assert.deepEqual(await nothing, { status: 'IN_PROGRESS', delivery: undefined });
  });

  it('returns chunks again if their loss is reported in the turn of the next request', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'first');
    const { delivery } = await book.takeChunks('e', id, 5_000, never);
    delivery?.sent();
    const next = book.takeChunks('e', id, 5_000, never);
    delivery?.returned();
    assert.deepEqual((await next).delivery?.chunks, ['first']);
  });

  it('does not report the end of a stream while another reader receives chunks', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'last');
    const { delivery } = await book.takeChunks('e', id, 5_000, never);
    const other = book.takeChunks('e', id, 5_000, never);
    book.apply('e', id, { kind: 'finished', output: [] });
    delivery?.returned();
    assert.deepEqual((await other).delivery?.chunks, ['last']);
  });

  it('returns chunks after a restart unless they were sent', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'first');
    (await book.takeChunks('e', id, 5_000, never)).delivery?.sent();
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'second');
    book.close();
    for (const [expected, isSent] of [
      [['second'], false],
      [['second'], true],
      [undefined, false],
    ] as const) {
      const next = queueAt(clock.now());
      const { delivery } = await next.takeChunks('e', id, 5_000, AbortSignal.abort());
      assert.deepEqual(delivery?.chunks, expected);
      if (isSent) delivery?.sent();
      next.close();
    }
  });

  it('discards the chunks and the delivery of an earlier attempt', async () => {
    const { id } = await submit();
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'first');
    const { delivery } = await book.takeChunks('e', id, 5_000, never);
    book.appendChunk('e', id, { workerId: 'w', attempt: 0 }, 'not read');
    book.apply('e', id, { kind: 'returned' });
    book.apply('e', id, { kind: 'taken', workerId: 'w' });
    book.appendChunk('e', id, { workerId: 'w', attempt: 1 }, 'second');
    delivery?.arrived();
    assert.deepEqual((await book.takeChunks('e', id, 5_000, never)).delivery?.chunks, ['second']);
  });

  it('reports a cancellation to readers of a stream, and later no longer finds the stream', async () => {
    const { id } = await submit();
    const asked = book.takeChunks('e', id, 5_000, never);
    book.cancel('e', id);
    assert.deepEqual(await asked, { status: 'CANCELLED', delivery: undefined });
    clock.advance(30_000);
    assert.equal((await book.takeChunks('e', id, 5_000, never)).status, 'CANCELLED');
    clock.advance(1);
    await assert.rejects(book.takeChunks('e', id, 5_000, never), isNotFound);
  });
});
