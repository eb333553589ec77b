import assert from 'node:assert/strict';
import type { JobTrace, TraceSpan } from '../../../src/contract/control/controlTraces.ts';
import { deliverySpan, type Delivery, spansOf } from '../../../src/platform/domain/jobSpans.ts';
import { attemptContext } from '../../../src/platform/domain/traceContext.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const trace = (spans: readonly TraceSpan[], rest: Partial<JobTrace> = {}): JobTrace => ({
  ...{ jobId: 'job-1', endpointId: 'e', status: 'COMPLETED', createdAt: at(0), finishedAt: at(20) },
  spans: [...spans],
  ...rest,
});

const LIFE: TraceSpan[] = [
  { kind: 'queued', start: at(0), end: at(9), attempt: 1 },
  { kind: 'waitingForWorker', start: at(0), end: at(1) },
  { kind: 'coldStart', start: at(1), end: at(9), workerId: 'w' },
  { kind: 'pulling', start: at(1), end: at(5), workerId: 'w' },
  { kind: 'pullingLayer', start: at(2), end: at(3), name: 'sha256:1', bytes: 7 },
  { kind: 'loading', start: at(5), end: at(9), workerId: 'w' },
  { kind: 'running', start: at(9), end: at(20), attempt: 1, workerId: 'w', release: 3, outcome: 'ok' },
  { kind: 'streaming', start: at(10), end: at(19), attempt: 1 },
];

describe('Spans of a job for a collector', () => {
  it('are nested as the parts of the job are', () => {
    const spans = spansOf(trace(LIFE), 'chat');
    const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const parents = spans.map(({ name, parentSpanId }) => [name, nameOf.get(parentSpanId ?? '')]);
    assert.deepEqual(parents, [
      ['job chat', undefined],
      ['queued', 'job chat'],
      ['waitingForWorker', 'queued'],
      ['coldStart', 'queued'],
      ['pulling', 'coldStart'],
      ['pullingLayer', 'pulling'],
      ['loading', 'coldStart'],
      ['running', 'job chat'],
      ['streaming', 'running'],
    ]);
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
    assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  });

  it('have the same IDs each time, and the attempt has that which its worker gets', () => {
    const [once, again] = [spansOf(trace(LIFE), 'chat'), spansOf(trace(LIFE), 'chat')];
    assert.deepEqual(once, again);
    const running = once.find(({ name }) => name === 'running');
    assert.equal(running?.spanId, attemptContext('job-1', undefined, 1).spanId);
  });

  it('continue the trace of the caller', () => {
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const [root, ...parts] = spansOf(trace(LIFE, { traceParent }), 'chat');
    assert.equal(root?.traceId, '0af7651916cd43dd8448eb211c80319c');
    assert.equal(root.parentSpanId, 'b7ad6b7169203331');
    assert.ok(root.hasRemoteParent && parts.every(({ hasRemoteParent }) => !hasRemoteParent));
  });

  it('name the attempts of a retried job, and fail with the attempt and the job', () => {
    const attempts: TraceSpan[] = [
      { kind: 'running', start: at(1), end: at(2), attempt: 1, outcome: 'workerLost', reason: 'the worker exited' },
      { kind: 'running', start: at(3), end: at(4), attempt: 2, outcome: 'failed', reason: 'secret input' },
    ];
    const spans = spansOf(trace(attempts, { status: 'FAILED' }), 'chat');
    assert.deepEqual(
      spans.map(({ failure }) => failure),
      [{ type: 'FAILED' }, { type: 'workerLost', message: 'the worker exited' }, { type: 'failed' }],
    );
    assert.ok(!JSON.stringify(spans).includes('secret'), 'the error of a handler stays on this machine');
  });

  it('have an end, even if a part of an ended job has none, or the clock was set back', () => {
    const spans = spansOf(trace([{ kind: 'queued', start: at(30) }]), 'chat');
    for (const { start, end } of spans) assert.ok(end >= start);
  });

  it('do not contain deliveries, which have spans of their own', () => {
    const delivery: TraceSpan = { kind: 'webhook', start: at(21), end: at(22), attempt: 1, outcome: 'ok' };
    const spans = spansOf(trace([delivery, ...LIFE]), 'chat');
    assert.deepEqual(spans, spansOf(trace(LIFE), 'chat'));
  });
});

describe('The span of a delivery for a collector', () => {
  const job = { id: 'job-1', endpointId: 'e' };
  const delivery: Delivery = {
    ...{ webhookId: 1, startedAt: 21_000, at: 22_000, attempt: 2, outcome: 'failed' },
    ...{ origin: 'https://hooks.example:8443', reason: 'it responded with 500' },
  };

  it('is a request to the origin of its receiver, in the span of the job', () => {
    const span = deliverySpan(job, delivery, 'chat');
    const [root] = spansOf(trace(LIFE), 'chat');
    assert.deepEqual([span.traceId, span.parentSpanId], [root?.traceId, root?.spanId]);
    assert.deepEqual([span.kind, span.start, span.end], ['client', 21_000, 22_000]);
    assert.equal(span.attributes['server.address'], 'hooks.example');
    assert.equal(span.attributes['http.request.resend_count'], 1);
    assert.deepEqual(span.failure, { type: 'failed', message: 'it responded with 500' });
  });

  it('differs from those of other deliveries of the job, even if the clock is frozen', () => {
    const others = [{ webhookId: 2 }, { attempt: 1 }, { startedAt: 21_001 }, {}];
    const ids = others.map((other) => deliverySpan(job, { ...delivery, ...other }, 'chat').spanId);
    assert.equal(new Set(ids).size, others.length);
  });

  it('does not end before its start, even if the clock was set back', () => {
    const { start, end } = deliverySpan(job, { ...delivery, at: 20_000 }, 'chat');
    assert.equal(end, start);
  });
});
