import type { WorkerStartTrace } from '../../contract/control/controlTraces.ts';
import { dateTime, spansOf, traceSpan, type Span } from './traceSpans.ts';
import { isStart, phasesOf, type WorkerPhase } from './workerPhases.ts';
import type { WorkerEventRecord } from './workerTraceEvent.ts';

/** Returns the last start of a worker, with what the worker waited for before it. @param events of the worker, in order */
export function workerStartTrace(
  of: { readonly endpointId: string; readonly workerId: string },
  events: readonly WorkerEventRecord[],
): WorkerStartTrace {
  const phases = lastStart(phasesOf(events));
  const readyAt = phases.find(({ kind }) => kind === 'ready')?.from;
  const spans = spansOf(phases.filter(({ kind }) => kind !== 'ready')).map((span) => withFailure(span, phases));
  return {
    ...{ workerId: of.workerId, endpointId: of.endpointId },
    ...(readyAt !== undefined && { readyAt: dateTime(readyAt) }),
    spans: spans.map(traceSpan),
  };
}

const isWait = ({ kind }: WorkerPhase): boolean => kind.startsWith('waiting') || kind === 'paused';

/** Returns the phases of the last start: waits, the start, and the phase after it if the worker became ready or failed. */
function lastStart(phases: readonly WorkerPhase[]): WorkerPhase[] {
  let end = phases.length;
  const last = phases.at(-1);
  // Waits at the end belong to a start that has not begun.
  if (last && !isWait(last)) end = phases.findLastIndex(isStart) + 1;
  else if (last?.kind === 'paused') end = phases.length - 1;
  const beginOf = (index: number, belongs: (phase: WorkerPhase) => boolean): number =>
    phases.findLastIndex((phase, at) => at < index && !belongs(phase)) + 1;
  const begin = Math.min(end, beginOf(beginOf(end, isStart), isWait));
  const after = phases[end];
  const isOutcome = after?.kind === 'ready' || after?.kind === 'paused';
  return [...phases.slice(begin, end), ...(isOutcome ? [after] : [])];
}

/** Adds the reason to a start that failed. */
function withFailure(span: Span, phases: readonly WorkerPhase[]): Span {
  if (span.kind !== 'coldStart' || span.to === undefined) return span;
  const failure = phases.find(({ kind, from }) => kind === 'paused' && from === span.to);
  return failure ? { ...span, reason: failure.reason } : span;
}
