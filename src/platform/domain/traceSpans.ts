import type { SpanKind, TraceSpan } from '../../contract/control/controlTraces.ts';
import { isStart, type PhaseKind, type WorkerPhase } from './workerPhases.ts';
import { dateTime } from '../../contract/dateTime.ts';

/* Spans of time, from the phases of workers. */

/** A span in ms since the epoch. */
export interface Span extends Omit<TraceSpan, 'kind' | 'start' | 'end'> {
  readonly kind: SpanKind;
  readonly from: number;
  /** Undefined if the span has not ended. */
  readonly to: number | undefined;
}

/** Returns a span in the form of a response. */
export function traceSpan({ kind, from, to, ...rest }: Span): TraceSpan {
  const defined = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { kind, start: dateTime(from), ...(to !== undefined && { end: dateTime(to) }), ...defined };
}

const KINDS = {
  absent: 'waitingForWorker',
  standby: 'resuming',
  between: 'waitingForWorker',
  paused: 'waitingAfterFailure',
  waitingForSlot: 'waitingForSlot',
  waitingForGpus: 'waitingForGpus',
  waitingForPlace: 'waitingForPlace',
  pulling: 'pulling',
  creating: 'creating',
  loading: 'loading',
  ready: 'waitingForBusyWorkers',
  resuming: 'resuming',
  working: 'waitingForBusyWorkers',
} as const satisfies Readonly<Record<PhaseKind, SpanKind>>;

export const spanKindOf = (kind: PhaseKind): SpanKind => KINDS[kind];

/**
 * Returns the spans of consecutive phases. The phases of one cold start are inside a span for it. Phases without a duration have no span,
 * unless they have not ended.
 */
export function spansOf(phases: readonly WorkerPhase[]): Span[] {
  const spans: Span[] = [];
  let start: { index: number; readonly workerId: string; readonly inner: Span[] } | undefined;
  const endStart = (): void => {
    const [first] = start?.inner ?? [];
    if (!start || !first) return;
    const { workerId, release, from } = first;
    spans.splice(start.index, 0, { kind: 'coldStart', from, to: start.inner.at(-1)?.to, workerId, release });
    start = undefined;
  };
  for (const phase of phases) {
    if (!isStart(phase)) endStart();
    if (phase.to !== undefined && phase.to <= phase.from) continue;
    const span = spanOf(phase);
    if (isStart(phase)) {
      const hasLoaded = start?.inner.at(-1)?.kind === 'loading' && span.kind !== 'loading';
      // A cluster creates parts of a pod before the pull and after it.
      if (start && (start.workerId !== phase.workerId || hasLoaded)) endStart();
      start ??= { index: spans.length, workerId: phase.workerId, inner: [] };
      start.inner.push(span);
    }
    spans.push(span);
  }
  endStart();
  return spans;
}

function spanOf({ kind, workerId, release, from, to, reason }: WorkerPhase): Span {
  const spanKind = spanKindOf(kind);
  const isOfWorker = spanKind !== 'waitingForWorker' && spanKind !== 'waitingForBusyWorkers';
  return { kind: spanKind, from, to, ...(isOfWorker && { workerId, release }), reason };
}
