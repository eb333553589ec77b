import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JobTrace, WorkerStartTrace, type TraceSpan } from '../../../src/contract/control/controlTraces.ts';
import { isTerminal } from '../../../src/contract/job.ts';
import { createJob, transition, type JobEvent, type JobRecord } from '../../../src/platform/domain/job.ts';
import { jobTrace } from '../../../src/platform/domain/jobTrace.ts';
import { requeueEvent, type JobTraceEvent } from '../../../src/platform/domain/jobTraceEvent.ts';
import { WorkerHistory } from '../../../src/platform/domain/queueWait.ts';
import { workerStartTrace } from '../../../src/platform/domain/workerStartTrace.ts';
import type { WorkerEventRecord, WorkerTraceEvent } from '../../../src/platform/domain/workerTraceEvent.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const reason = 'because';

/** Events as a worker records them, in lists that follow each other. */
const LIVES: readonly (readonly WorkerTraceEvent[])[] = [
  [{ kind: 'created' }, { kind: 'starting' }, { kind: 'started' }, { kind: 'ready' }, { kind: 'begun' }],
  [
    ...([{ kind: 'created' }, { kind: 'waitingForSlot', reason }, { kind: 'starting' }, { kind: 'pulling' }] as const),
    ...([{ kind: 'placed' }, { kind: 'started' }, { kind: 'ready' }] as const),
  ],
  [{ kind: 'starting' }, { kind: 'waitingForPlace', reason }, { kind: 'pulling' }, { kind: 'started' }],
  [{ kind: 'starting' }, { kind: 'ready' }, { kind: 'started' }, { kind: 'begun' }],
  [{ kind: 'failed', reason }],
  [{ kind: 'waitingForGpus', reason }, { kind: 'starting' }],
  [{ kind: 'frozen' }],
  [{ kind: 'resumed' }, { kind: 'begun' }],
  [{ kind: 'restarting' }, { kind: 'ended' }, { kind: 'starting' }],
  [{ kind: 'adopted' }],
  [{ kind: 'adopted' }, { kind: 'ready' }],
  [{ kind: 'stopping' }, { kind: 'started' }, { kind: 'ended' }, { kind: 'stopped' }],
  [{ kind: 'stopped' }],
];

/** Milliseconds until the next event. The clock is set back now and then. */
const pause = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -4_000, max: -1 }) },
);
const workerEvents = fc
  .array(fc.tuple(fc.constantFrom('w1', 'w2', 'w3'), fc.constantFrom(...LIVES), fc.array(pause, { maxLength: 7 })), {
    maxLength: 12,
  })
  .map((lives) => {
    let at = START;
    return lives.flatMap(([workerId, life, pauses]) =>
      life.map((event, index): WorkerEventRecord => {
        at += pauses[index] ?? 0;
        return { endpointId: 'e', workerId, release: 1, at, event };
      }),
    );
  });

const jobEvent: fc.Arbitrary<JobEvent | { readonly kind: 'chunk' } | { readonly kind: 'webhook' }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('w1', 'w2', 'gone').map((workerId) => ({ kind: 'taken', workerId, release: 1 })),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'workerLost', reason: 'exited with code 1' }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: 'returned' }, { kind: 'retried' }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: 'failed', error: 'e' }, { kind: 'timedOut', afterMs: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'finished' }, { kind: 'canceled' }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: 'chunk' }, { kind: 'webhook' }) },
) as fc.Arbitrary<JobEvent | { readonly kind: 'chunk' } | { readonly kind: 'webhook' }>;

interface History {
  readonly job: JobRecord;
  readonly events: readonly JobTraceEvent[];
  readonly now: number;
}

const history = fc.array(fc.tuple(jobEvent, pause), { maxLength: 15 }).map((steps): History => {
  let now = START + 2_000;
  let job = createJob({}, { id: 'j', endpointId: 'e', now });
  const events: JobTraceEvent[] = [];
  for (const [event, ms] of steps) {
    now += ms;
    const attempt = job.retries + 1;
    if (event.kind === 'webhook')
      events.push({
        kind: 'webhook',
        startedAt: now,
        at: now + ms,
        attempt: 1,
        origin: 'http://h.test',
        outcome: 'ok',
      });
    else if (event.kind === 'chunk') {
      if (job.status === 'IN_PROGRESS') events.push({ kind: ms > 0 ? 'firstChunk' : 'lastChunk', at: now, attempt });
    } else {
      const after = transition(job, event, now);
      const requeued = after && requeueEvent({ before: job, after }, event, now);
      if (requeued) events.push(requeued);
      job = after ?? job;
    }
  }
  return { job, events, now };
});

const startOf = ({ start }: TraceSpan): number => Date.parse(start);
const endOf = ({ end }: TraceSpan): number => (end === undefined ? Infinity : Date.parse(end));
const START_PARTS = ['pulling', 'creating', 'loading'];
const isWaitPart = ({ kind }: TraceSpan): boolean =>
  kind.startsWith('waiting') || kind === 'coldStart' || kind === 'resuming';

/** Checks that parts follow each other without gaps, and cover the whole. */
function assertCovered(whole: TraceSpan, parts: readonly TraceSpan[]): void {
  let at = startOf(whole);
  for (const part of parts) {
    assert.equal(startOf(part), at, `${whole.kind} has a gap, or parts that overlap`);
    at = endOf(part);
  }
  assert.equal(at, endOf(whole), `the parts end with ${whole.kind}`);
}

/** Checks the spans of starts, and that spans are in order. */
function assertStarts(spans: readonly TraceSpan[]): void {
  for (const [index, span] of spans.entries()) {
    const { kind } = span;
    assert.ok(startOf(span) <= endOf(span), `${kind} does not end before it starts`);
    assert.ok(startOf(spans[index - 1] ?? span) <= startOf(span), `${kind} is in the order of the starts`);
    if (kind !== 'coldStart') continue;
    const inner = spans
      .slice(index + 1)
      .filter((other) => START_PARTS.includes(other.kind) && startOf(other) < endOf(span));
    assertCovered(span, inner);
  }
}

describe('Trace of a job, for any history', () => {
  it('has spans that nest, follow each other, and end in the order of time', () => {
    fc.assert(
      fc.property(history, workerEvents, fc.boolean(), ({ job, events, now }, workers, hasWorkers) => {
        const { spans, ...trace } = JobTrace.parse(
          jobTrace({ job, events, workers: hasWorkers ? new WorkerHistory(workers) : undefined, now }),
        );
        assert.equal(trace.finishedAt !== undefined, isTerminal(job.status));
        assertStarts(spans);
        const attempts = spans.filter(({ kind }) => kind === 'queued' || kind === 'running');
        let end = Date.parse(trace.createdAt);
        for (const attempt of attempts) {
          assert.ok(startOf(attempt) >= end, 'attempts do not overlap');
          end = endOf(attempt);
        }
        assert.equal(attempts.filter(({ kind }) => kind === 'queued').length, job.retries + 1);
        assert.equal(
          end === Infinity,
          !isTerminal(job.status),
          'only the last span of a job that has not ended is open',
        );
        const parts = spans.filter(isWaitPart);
        for (const queued of attempts.filter(({ kind }) => kind === 'queued')) {
          const own = parts.filter((part) => startOf(part) >= startOf(queued) && endOf(part) <= endOf(queued));
          if (own.length > 0) assertCovered(queued, own);
          if (!hasWorkers) assert.deepEqual(own, []);
        }
        const within = (span: TraceSpan, kind: string): boolean =>
          attempts.some(
            (other) => other.kind === kind && startOf(other) <= startOf(span) && endOf(span) <= endOf(other),
          );
        for (const part of parts) assert.ok(within(part, 'queued'), `${part.kind} is in a stay in the queue`);
        for (const span of spans.filter(({ kind }) => kind === 'streaming'))
          assert.ok(within(span, 'running'), 'a stream is within its attempt');
      }),
      { seed: 35, numRuns: 2_000 },
    );
  });
});

describe('Start of a worker, for any history', () => {
  it('has spans that nest, follow each other, and end in the order of time', () => {
    fc.assert(
      fc.property(workerEvents, (events) => {
        for (const workerId of ['w1', 'w2', 'w3']) {
          const own = events.filter((event) => event.workerId === workerId);
          const { spans, readyAt } = WorkerStartTrace.parse(workerStartTrace({ endpointId: 'e', workerId }, own));
          assertStarts(spans);
          const outer = spans.filter(({ kind }) => !START_PARTS.includes(kind));
          for (const [index, span] of outer.entries())
            assert.equal(startOf(span), endOf(outer[index - 1] ?? { ...span, end: span.start }), 'there is no gap');
          const last = outer.at(-1);
          if (readyAt !== undefined && last)
            assert.equal(endOf(last), Date.parse(readyAt), 'the start ends when the worker is ready');
        }
      }),
      { seed: 35, numRuns: 2_000 },
    );
  });
});
