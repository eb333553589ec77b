import type { TraceContext } from './traceContext.ts';

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
