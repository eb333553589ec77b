import type { TracedJob } from './job.ts';
import { endpointAttributes } from './jobSpans.ts';
import type { DeliveryEvent } from './jobTraceEvent.ts';
import { attributesOf, type SpanRecord } from './spanRecord.ts';
import { jobContext, jobSpanId } from './traceContext.ts';

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
