import { createHash, randomBytes } from 'node:crypto';
import { parseTraceParent } from '@opentelemetry/core';

/** A span of a trace, as `traceparent` names it. IDs are lowercase hexadecimal. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export const SAMPLED = 0b01;

/** Flags that this version of the format defines: sampled, and a random trace ID. Others must not be passed on. */
const KNOWN_FLAGS = 0b11;

/** Parses a `traceparent` header (W3C Trace Context). Returns undefined for an invalid one, which is ignored. */
export function readTraceParent(header: string | undefined): TraceContext | undefined {
  return (header === undefined ? undefined : parseTraceParent(header)) ?? undefined;
}

/** Formats a `traceparent` header of version 00. */
export function traceParent({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${(traceFlags & KNOWN_FLAGS).toString(16)}`;
}

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');

/** The trace that a job belongs to. Its IDs derive from the ID of the job, so that they are the same after a restart. */
interface JobContext extends TraceContext {
  /** ID of the caller's span. Undefined if the caller has no trace. */
  readonly parentSpanId: string | undefined;
}

/** Returns the context of the root span of a job. */
export function jobContext(jobId: string, header: string | undefined): JobContext {
  const caller = readTraceParent(header);
  const spanId = jobSpanId(jobId, 'job');
  if (!caller) return { traceId: hash(jobId, 32), spanId, traceFlags: SAMPLED, parentSpanId: undefined };
  return { ...caller, spanId, parentSpanId: caller.spanId };
}

/** Returns the context of an attempt of a job, which its worker continues. @param attempt from 1 */
export function attemptContext(jobId: string, header: string | undefined, attempt: number): TraceContext {
  return { ...jobContext(jobId, header), spanId: jobSpanId(jobId, 'running', attempt) };
}

/** Returns the ID of a span of a job. @param parts what distinguishes the span from the other ones */
export function jobSpanId(jobId: string, ...parts: readonly (string | number)[]): string {
  return hash([jobId, ...parts].join(' '), 16);
}

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);

/** An ended span for an OpenTelemetry collector. Times are milliseconds since the epoch. */
export interface SpanRecord extends TraceContext {
  readonly parentSpanId: string | undefined;
  /** Whether the parent is a span of the caller. */
  readonly hasRemoteParent: boolean;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'consumer';
  readonly start: number;
  readonly end: number;
  /** Names of OpenTelemetry's semantic conventions, or names that begin with `cloud_compute.`. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Undefined if the span did not fail. */
  readonly failure: SpanFailure | undefined;
}

export interface SpanFailure {
  /** Value of `error.type`. */
  readonly type: string;
  readonly message?: string | undefined;
}

/** Receives ended spans. Adding spans takes little time and never fails. */
export interface SpanSink {
  /** Adds spans of one trace, or drops all of them if too many are waiting. */
  readonly add: (spans: readonly SpanRecord[]) => void;
  /** Counts traces that were dropped before they became spans. */
  readonly drop: (traces: number) => void;
  /** Sends the waiting spans. Resolves after a short time even if the collector does not respond. */
  readonly close: () => Promise<void>;
}

/** Returns the attributes whose values are known. */
export function attributesOf(values: Readonly<Record<string, string | number | undefined>>): SpanRecord['attributes'] {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
