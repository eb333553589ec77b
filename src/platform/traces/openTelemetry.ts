import { SpanKind, SpanStatusCode, type HrTime } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { SpanRecord, SpanSink } from '../domain/traceContext.ts';
import type { Clock } from '../time/clock.ts';

/* Exports spans over OTLP/HTTP with the library of OpenTelemetry. It is loaded only if traces are exported. */

/** Maximum number of spans that are waiting or being sent. */
const MAX_SPANS = 8_192;
/** Maximum number of spans in a request. */
const BATCH_SIZE = 512;
/** Time in ms that spans wait for further ones. */
const DELAY_MS = 1_000;
/** Time limit of an export with its retries, in ms. */
const TIMEOUT_MS = 10_000;
/** Time in ms that the export may take when the platform stops. */
const CLOSE_MS = 2_000;

interface OpenTelemetryOptions {
  /** Address of the collector for traces, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Opens the export to a collector. The library reads further headers from `OTEL_EXPORTER_OTLP_HEADERS`. */
export function openTelemetrySink({ url, log, clock }: OpenTelemetryOptions): SpanSink {
  const { origin } = new URL(url);
  let pending = 0;
  let lost = 0;
  let isFailing = false;
  /** Counts lost spans. Only the first failure is logged, because a collector that is down would fill the log. */
  const lose = (spans: number, problem: string): void => {
    lost += spans;
    if (!isFailing) log.warn({ collector: origin, problem }, 'traces are lost; further losses are counted');
    isFailing = true;
  };
  const sender = new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS });
  const exporter: SpanExporter = {
    export: (spans, done) =>
      sender.export(spans, (result) => {
        pending -= spans.length;
        if (result.code !== ExportResultCode.SUCCESS) lose(spans.length, result.error?.message ?? 'the export failed');
        else if (isFailing) {
          isFailing = false;
          log.info({ collector: origin, lost }, 'traces are exported again');
        }
        done(result);
      }),
    shutdown: () => sender.shutdown(),
  };
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_SPANS,
    maxExportBatchSize: BATCH_SIZE,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: 2 * TIMEOUT_MS,
  });
  return {
    add: (spans) => {
      if (spans.some(({ traceFlags }) => (traceFlags & 1) === 0)) return;
      if (pending + spans.length > MAX_SPANS) {
        lose(spans.length, 'too many spans are waiting');
        return;
      }
      pending += spans.length;
      for (const span of spans) processor.onEnd(readable(span));
    },
    drop: (traces) => lose(traces, 'too many jobs end'),
    close: async () => {
      const closed = processor.shutdown().catch(() => undefined);
      await new Promise<void>((resolve) => {
        const cancel = clock.after(CLOSE_MS, resolve);
        void closed.then(() => {
          cancel();
          resolve();
        });
      });
      if (pending > 0) lose(pending, 'the platform stops');
      if (lost > 0) log.warn({ collector: origin, lost }, 'traces were lost');
    },
  };
}

const RESOURCE = resourceFromAttributes({ 'service.name': 'cloud-compute' });
const SCOPE = { name: 'cloud-compute' };
const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const satisfies Readonly<Record<SpanRecord['kind'], SpanKind>>;

function readable(span: SpanRecord): ReadableSpan {
  const { traceId, spanId, traceFlags, parentSpanId, hasRemoteParent, name, kind, start, end, failure } = span;
  return {
    ...{ name, kind: KINDS[kind], startTime: hrTime(start), endTime: hrTime(end), duration: hrTime(end - start) },
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(parentSpanId !== undefined && {
      parentSpanContext: { traceId, spanId: parentSpanId, traceFlags, isRemote: hasRemoteParent },
    }),
    attributes: failure ? { ...span.attributes, 'error.type': failure.type } : span.attributes,
    status: failure
      ? { code: SpanStatusCode.ERROR, ...(failure.message !== undefined && { message: failure.message }) }
      : { code: SpanStatusCode.UNSET },
    ...{ links: [], events: [], ended: true, resource: RESOURCE, instrumentationScope: SCOPE },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

/** Converts ms to seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
