import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTerminal, JOB_STATUSES, type JobStatus } from '../../../src/contract/job.ts';
import {
  createJob,
  DEFAULT_TTL_MS,
  executionTimeout,
  jobAnswer,
  MAX_ATTEMPTS,
  RETENTION_MS,
  splitChunk,
  transition,
  webhookBody,
  withTtl,
  type JobEvent,
  type JobRecord,
} from '../../../src/platform/domain/job.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

describe('Job state machine', () => {
  const queued = createJob({}, { id: 'j', endpointId: 'e', now });
  const after = (job: JobRecord | undefined, event: JobEvent, at = now): JobRecord => {
    const changed = job && transition(job, event, at);
    assert.ok(changed, `${event.kind} applies`);
    return changed;
  };
  const running = after(queued, { kind: 'taken', workerId: 'w' }, now + 100);

  const inStatus: Record<JobStatus, JobRecord> = {
    IN_QUEUE: queued,
    IN_PROGRESS: running,
    COMPLETED: after(running, { kind: 'finished', output: 1 }, now + 300),
    FAILED: after(running, { kind: 'finished', error: 'e' }, now + 300),
    CANCELLED: after(running, { kind: 'canceled' }, now + 300),
    TIMED_OUT: after(running, { kind: 'timedOut', afterMs: 200 }, now + 300),
  };

  const events: [JobEvent, Partial<Record<JobStatus, JobStatus>>][] = [
    [{ kind: 'taken', workerId: 'w' }, { IN_QUEUE: 'IN_PROGRESS' }],
    [{ kind: 'progress', output: 1 }, { IN_PROGRESS: 'IN_PROGRESS' }],
    [{ kind: 'finished', output: 1 }, { IN_PROGRESS: 'COMPLETED' }],
    [{ kind: 'finished', error: 'e' }, { IN_PROGRESS: 'FAILED' }],
    [{ kind: 'failed', error: 'e' }, { IN_PROGRESS: 'FAILED' }],
    [{ kind: 'canceled' }, { IN_QUEUE: 'CANCELLED', IN_PROGRESS: 'CANCELLED' }],
    [{ kind: 'timedOut', afterMs: 1 }, { IN_PROGRESS: 'TIMED_OUT' }],
    [{ kind: 'expired' }, { IN_QUEUE: 'TIMED_OUT', IN_PROGRESS: 'TIMED_OUT' }],
    [{ kind: 'workerLost', reason: 'died' }, { IN_PROGRESS: 'IN_QUEUE' }],
    [{ kind: 'returned' }, { IN_PROGRESS: 'IN_QUEUE' }],
    [{ kind: 'retried' }, { FAILED: 'IN_QUEUE', TIMED_OUT: 'IN_QUEUE' }],
  ];

  for (const [event, results] of events) {
    it(`${event.kind} leads to the documented statuses, and is ignored in all others`, () => {
      for (const status of JOB_STATUSES) {
        assert.equal(inStatus[status].status, status);
        assert.equal(transition(inStatus[status], event, now + 400)?.status, results[status], `from ${status}`);
      }
    });
  }

  it('fails a job after three lost workers', () => {
    let job = running;
    for (const attempt of [1, 2]) {
      const lost = after(job, { kind: 'workerLost', reason: 'exited with code 1' });
      assert.deepEqual([lost.status, lost.lostWorkers, lost.retries], ['IN_QUEUE', attempt, attempt]);
      job = after(lost, { kind: 'taken', workerId: 'w' });
    }
    const last = after(job, { kind: 'workerLost', reason: 'exited with code 1' });
    assert.equal(last.status, 'FAILED');
    assert.match(String(last.error), /lost 3 times; .* exited with code 1/);
    assert.equal(after(last, { kind: 'retried' }).lostWorkers, 0);
  });

  it('does not count a job that never reached its worker as lost', () => {
    assert.equal(after(running, { kind: 'returned' }).lostWorkers, 0);
  });

  it('has the usual priority unless its request lowers it', () => {
    const priority = (policy?: { lowPriority?: boolean }) =>
      createJob(policy ? { policy } : {}, { id: 'j', endpointId: 'e', now }).lowPriority;
    assert.deepEqual([priority(), priority({}), priority({ lowPriority: true })], [false, false, true]);
  });

  it('lives for another day after it is requeued, and never shorter than before', () => {
    assert.equal(after(running, { kind: 'returned' }, now + 5_000).expiresAt, now + 5_000 + DEFAULT_TTL_MS);
    const long = { ...running, expiresAt: now + 2 * DEFAULT_TTL_MS };
    assert.equal(after(long, { kind: 'returned' }, now + 5_000).expiresAt, long.expiresAt);
  });

  it('clears the results of an attempt when the job is requeued', () => {
    const job = after(after(running, { kind: 'progress', output: 50 }), { kind: 'returned' });
    assert.deepEqual([job.output, job.workerId, job.startedAt], [undefined, undefined, undefined]);
  });

  it('keeps results for one day, unless the job has its own time to live', () => {
    assert.deepEqual([DEFAULT_TTL_MS, RETENTION_MS], [86_400_000, 86_400_000]);
    assert.equal(queued.expiresAt, now + DEFAULT_TTL_MS);
    assert.equal(inStatus.COMPLETED.expiresAt, now + 300 + RETENTION_MS);
    const brief = createJob({ policy: { ttl: 10_000 } }, { id: 'j', endpointId: 'e', now });
    const done = after(after(brief, { kind: 'taken', workerId: 'w' }), { kind: 'finished' }, now + 5_000);
    assert.equal(done.expiresAt, now + 10_000);
  });

  it('expires at its new time to live after its submission, even while it runs', () => {
    const { ttl, expiresAt } = withTtl(running, 20_000);
    assert.deepEqual([ttl, expiresAt], [20_000, now + 20_000]);
  });

  it('returns only the known times', () => {
    assert.deepEqual(jobAnswer(queued), { id: 'j', status: 'IN_QUEUE' });
    assert.deepEqual(jobAnswer(running), { id: 'j', status: 'IN_PROGRESS', delayTime: 100, workerId: 'w' });
    assert.deepEqual(jobAnswer(inStatus.COMPLETED), {
      ...{ id: 'j', status: 'COMPLETED', delayTime: 100, executionTime: 200, workerId: 'w', output: 1 },
    });
    const failed = after(running, { kind: 'finished', error: { code: 1 } });
    assert.equal(jobAnswer(failed).error, '{"code":1}', 'the error is a string');
    assert.equal(jobAnswer(inStatus.FAILED).error, 'e', 'a string stays as it is');
  });

  it("uses the job's execution timeout, or else the endpoint's", () => {
    assert.equal(executionTimeout(queued, 300_000), 300_000);
    const own = createJob({ policy: { executionTimeout: 5_000 } }, { id: 'j', endpointId: 'e', now });
    assert.equal(executionTimeout(own, 300_000), 5_000);
  });

  it('does not start an expired job, and names the time to live in its error', () => {
    const brief = createJob({ policy: { ttl: 10_000 } }, { id: 'j', endpointId: 'e', now });
    assert.equal(transition(brief, { kind: 'taken', workerId: 'w' }, now + 10_000), undefined);
    assert.match(String(after(brief, { kind: 'expired' }, now + 10_000).error), /time to live of 10000 ms/);
  });

  it('returns a webhook body with the job, its input, and its URL, but without secrets', () => {
    const request = { input: { a: 1 }, webhook: 'http://127.0.0.1/hook', s3Config: { accessSecret: 'hush' } };
    const withWebhook = createJob(request, { id: 'j', endpointId: 'e', now });
    const read = () => request;
    assert.equal(webhookBody(withWebhook, read), undefined, 'not before the end');
    const taken = after(withWebhook, { kind: 'taken', workerId: 'w' }, now + 5);
    assert.deepEqual(webhookBody(after(taken, { kind: 'finished', output: 2 }, now + 9), read), {
      ...{ id: 'j', status: 'COMPLETED', delayTime: 5, executionTime: 4, workerId: 'w', output: 2 },
      ...{ input: { a: 1 }, webhook: 'http://127.0.0.1/hook' },
    });
    assert.equal(
      webhookBody(inStatus.FAILED, () => assert.fail('the job has no webhook')),
      undefined,
    );
  });

  const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(
    fc.record({ kind: fc.constant('taken' as const), workerId: fc.constantFrom('v', 'w') }),
    fc.record({ kind: fc.constant('progress' as const), output: fc.jsonValue() }),
    fc.record({ kind: fc.constant('finished' as const), output: fc.jsonValue() }),
    fc.record({ kind: fc.constant('finished' as const), error: fc.string() }),
    fc.record({ kind: fc.constant('failed' as const), error: fc.string() }),
    fc.record({ kind: fc.constant('timedOut' as const), afterMs: fc.nat() }),
    fc.record({ kind: fc.constant('workerLost' as const), reason: fc.string() }),
    fc.constantFrom<JobEvent>({ kind: 'canceled' }, { kind: 'expired' }, { kind: 'returned' }, { kind: 'retried' }),
  );
  // The clock is sometimes set back.
  const anyStep = fc.record({ event: anyEvent, pause: fc.integer({ min: -1_000, max: 10_000 }) });
  const anyPolicy = fc.option(fc.record({ ttl: fc.integer({ min: 10_000, max: 100_000 }) }), { nil: undefined });

  it('keeps its invariants for any events at any times', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), anyPolicy, (steps, policy) => {
        let time = now;
        let job = createJob({ policy }, { id: 'j', endpointId: 'e', now });
        for (const { event, pause } of steps) {
          time += pause;
          const next = transition(job, event, time);
          if (!next) continue;
          if (isTerminal(job.status)) assert.equal(event.kind, 'retried', 'only a retry changes an ended job');
          if (['COMPLETED', 'CANCELLED'].includes(job.status)) assert.fail(`a ${job.status} job has changed`);
          assert.ok(next.retries - job.retries <= 1);
          assert.equal(next.retries > job.retries, next.status === 'IN_QUEUE', 'a return to the queue is a retry');
          job = next;
          const { createdAt, queuedAt, startedAt = queuedAt, finishedAt = startedAt, status } = job;
          assert.ok(
            createdAt <= queuedAt && queuedAt <= startedAt && startedAt <= finishedAt,
            'the times are in order',
          );
          assert.ok(job.lostWorkers <= MAX_ATTEMPTS);
          assert.equal(job.lostWorkers === MAX_ATTEMPTS && status !== 'FAILED', false);
          assert.equal(job.finishedAt !== undefined, isTerminal(status));
          if (policy) assert.equal(job.expiresAt, now + policy.ttl);
          if (status === 'IN_QUEUE') assert.deepEqual(jobAnswer(job), { id: 'j', status });
          if (!['FAILED', 'TIMED_OUT'].includes(status)) assert.equal(job.error, undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('splits a string that is too large for a chunk between characters, and no other value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 4, max: 20 }), (text, max) => {
        const pieces = splitChunk(text, max) as string[];
        assert.equal(pieces.join(''), text);
        for (const piece of pieces) {
          assert.ok(Buffer.byteLength(piece) <= max);
          assert.equal(Buffer.from(piece).toString(), piece, 'every character is whole');
        }
      }),
    );
    for (const whole of [['x'.repeat(50)], Array.from('x'.repeat(50)), { text: 'x'.repeat(50) }, 12_345_678_901, null])
      assert.deepEqual(splitChunk(whole, 10), [whole]);
  });

  it('fills each chunk with as many characters as fit, whatever their length in UTF-8', () => {
    // The first and the last character of each length.
    for (const character of ['\u0000', '\u007f', '\u0080', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}'])
      for (const maxBytes of [4, 5, 12]) {
        const perChunk = Math.floor(maxBytes / Buffer.byteLength(character));
        const text = character.repeat(2 * perChunk + 1);
        assert.deepEqual(
          splitChunk(text, maxBytes),
          [perChunk, perChunk, 1].map((count) => character.repeat(count)),
          `U+${character.codePointAt(0)?.toString(16)} in ${maxBytes} bytes`,
        );
      }
  });

  it('has chunks of at most 1 MiB', () => {
    const mebibyte = 1_048_576;
    assert.deepEqual(splitChunk('x'.repeat(mebibyte)), ['x'.repeat(mebibyte)]);
    const sizes = splitChunk('x'.repeat(2 * mebibyte + 1)).map((piece) => Buffer.byteLength(String(piece)));
    assert.deepEqual(sizes, [mebibyte, mebibyte, 1]);
  });
});
