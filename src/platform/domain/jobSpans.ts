import { containersOf, isFailure, type JobTrace, type TraceSpan } from '../../contract/control/controlTraces.ts';
import { attributesOf, type SpanFailure, type SpanRecord, jobContext, jobSpanId } from './traceContext.ts';
import type { TracedJob } from './job.ts';
import type { DeliveryEvent } from './jobTraceEvent.ts';

/**
 * Converts the trace of an ended job to spans for a collector: one for the job, and one for each of its parts. They contain names and times,
 * but neither inputs, outputs, nor errors of workers. Deliveries of webhooks end later, and have spans of their own (`deliverySpan`).
 *
 * @param endpointName name of the endpoint, or of the image-editing model
 */
export function spansOf(trace: JobTrace, endpointName: string): SpanRecord[] {
  const { jobId, traceParent, createdAt } = trace;
  const context = jobContext(jobId, traceParent);
  const { traceId, traceFlags, parentSpanId } = context;
  const endpoint = endpointAttributes(trace.endpointId, endpointName);
  const messaging = {
    'messaging.system': 'cloud_compute',
    'messaging.destination.name': endpointName,
    'messaging.message.id': jobId,
  };
  const start = Date.parse(createdAt);
  const end = Math.max(start, Date.parse(trace.finishedAt ?? createdAt));
  const root: SpanRecord = {
    ...{ traceId, traceFlags, spanId: context.spanId, parentSpanId, hasRemoteParent: parentSpanId !== undefined },
    ...{ name: `job ${endpointName}`, kind: 'internal', start, end },
    attributes: { ...endpoint, ...messaging, 'cloud_compute.job.status': trace.status },
    failure: trace.status === 'FAILED' || trace.status === 'TIMED_OUT' ? { type: trace.status } : undefined,
  };
  const spans = trace.spans.filter(({ kind }) => kind !== 'webhook');
  const ids = spanIdsOf(jobId, spans);
  const parts = spans.map((span, index): SpanRecord => {
    const from = Date.parse(span.start);
    const to = span.end === undefined ? Math.max(from, end) : Date.parse(span.end);
    const container = containerOf(span, spans);
    return {
      ...{ traceId, traceFlags, spanId: ids[index] ?? '', hasRemoteParent: false, name: span.kind },
      parentSpanId: container === undefined ? root.spanId : ids[container],
      kind: span.kind === 'running' ? 'consumer' : 'internal',
      ...{ start: from, end: Math.max(from, to) },
      attributes: { ...endpoint, ...(span.kind === 'running' && messaging), ...partAttributes(span) },
      failure: failureOf(span),
    };
  });
  return [root, ...parts];
}

/** Returns the attributes of all spans of a job. @param name name of the endpoint, or of the image-editing model */
const endpointAttributes = (id: string, name: string): SpanRecord['attributes'] => ({
  'cloud_compute.endpoint.id': id,
  'cloud_compute.endpoint.name': name,
});

/** Returns the IDs of the parts. A worker gets that of its attempt before the trace ends. */
function spanIdsOf(jobId: string, spans: readonly TraceSpan[]): string[] {
  const counts = new Map<string, number>();
  return spans.map(({ kind, attempt = 0 }) => {
    if (kind === 'running') return jobSpanId(jobId, kind, attempt);
    const key = `${kind} ${attempt}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return jobSpanId(jobId, kind, attempt, count);
  });
}

/** Returns the index of the span that contains a span, or undefined if only the job does. */
function containerOf(span: TraceSpan, spans: readonly TraceSpan[]): number | undefined {
  for (const kind of containersOf(span.kind)) {
    const index = spans.findIndex((other) => other !== span && other.kind === kind && overlaps(other, span));
    if (index >= 0) return index;
  }
  return undefined;
}

function overlaps(outer: TraceSpan, inner: TraceSpan): boolean {
  if (outer.attempt !== undefined && inner.attempt !== undefined && outer.attempt !== inner.attempt) return false;
  if (outer.workerId !== undefined && inner.workerId !== undefined && outer.workerId !== inner.workerId) return false;
  const at = Date.parse(inner.start);
  return Date.parse(outer.start) <= at && (outer.end === undefined || at <= Date.parse(outer.end));
}

function partAttributes(span: TraceSpan): SpanRecord['attributes'] {
  const { kind, attempt, workerId, release, outcome, name, bytes } = span;
  return attributesOf({
    'cloud_compute.attempt': attempt,
    'cloud_compute.worker.id': workerId,
    'cloud_compute.release': release,
    'cloud_compute.outcome': outcome,
    'cloud_compute.name': name,
    'cloud_compute.bytes': bytes,
    'cloud_compute.reason': outcome === undefined ? span.reason : undefined,
    'messaging.operation.type': kind === 'running' ? 'process' : undefined,
    'messaging.operation.name': kind === 'running' ? 'run' : undefined,
  });
}

/** The error of a handler can contain its input, and stays on this machine. */
function failureOf({ outcome, reason, kind }: TraceSpan): SpanFailure | undefined {
  if (outcome === undefined || !isFailure(outcome)) return undefined;
  const isOfPlatform = kind !== 'running' || outcome === 'workerLost';
  return { type: outcome, ...(isOfPlatform && reason !== undefined && { message: reason }) };
}

/** A delivery of a webhook of a job. */
export interface Delivery extends Omit<DeliveryEvent, 'kind'> {
  /** Each end of a job has its own webhook. */
  readonly webhookId: number;
}

/**
 * Converts a delivery to a span for a collector, in the span of its job. It contains the origin of the receiver, but no other part of the URL.
 *
 * @param endpointName name of the endpoint, or of the image-editing model
 */
export function deliverySpan(job: TracedJob, delivery: Delivery, endpointName: string): SpanRecord {
  const { webhookId, startedAt, at, attempt, origin, outcome, reason } = delivery;
  const { traceId, traceFlags, spanId: jobSpan } = jobContext(job.id, job.traceParent);
  // The clock may be frozen, so the time alone is not unique.
  const spanId = jobSpanId(job.id, 'webhook', webhookId, startedAt, attempt);
  return {
    ...{ traceId, traceFlags, spanId, parentSpanId: jobSpan, hasRemoteParent: false, name: 'webhook', kind: 'client' },
    ...{ start: startedAt, end: Math.max(startedAt, at) },
    attributes: {
      ...endpointAttributes(job.endpointId, endpointName),
      ...attributesOf({
        'cloud_compute.outcome': outcome,
        'http.request.method': 'POST',
        'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
        'server.address': URL.parse(origin)?.hostname,
      }),
    },
    failure: outcome === 'failed' ? { type: outcome, message: reason } : undefined,
  };
}
