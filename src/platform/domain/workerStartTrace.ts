import { SPAN_KINDS, type WorkerStartTrace } from '../../contract/control/controlTraces.ts';
import { spansOf, traceSpan, type Span } from './traceSpans.ts';
import { isStart, phasesOf, type WorkerPhase } from './workerPhases.ts';
import type { WorkerEventRecord, WorkerTraceEvent, PulledLayer } from './workerTraceEvent.ts';
import type { MeasuredImports } from './importTimes.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** Returns the last start of a worker, with what the worker waited for before it. @param events of the worker, in order */
export function workerStartTrace(
  of: { readonly endpointId: string; readonly workerId: string },
  events: readonly WorkerEventRecord[],
): WorkerStartTrace {
  const phases = lastStart(phasesOf(events));
  const readyAt = phases.find(({ kind }) => kind === 'ready')?.from;
  const own = spansOf(phases.filter(({ kind }) => kind !== 'ready')).map((span) => withFailure(span, phases));
  const since = own.find(({ kind }) => kind === 'coldStart')?.from ?? Infinity;
  const imports = lastOf(events, 'imported', since)?.imports;
  const spans = sorted([...own, ...layerSpans(lastOf(events, 'pulled', since)?.layers), ...importSpans(imports)]);
  return {
    ...{ workerId: of.workerId, endpointId: of.endpointId },
    ...(readyAt !== undefined && { readyAt: dateTime(readyAt) }),
    ...(imports && { otherImports: { count: imports.others.count, seconds: imports.others.ms / 1_000 } }),
    spans: spans.map(traceSpan),
  };
}

/** Sorts spans by their starts. The sort is stable, so those that contain others stay in front of them. */
const sorted = (spans: readonly Span[]): Span[] =>
  spans.toSorted(
    (one, other) => one.from - other.from || SPAN_KINDS.indexOf(one.kind) - SPAN_KINDS.indexOf(other.kind),
  );

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

/* The layers and the modules of a start, as spans. */

/** Returns the last event of a kind from a time on, in ms since the epoch. */
function lastOf<Kind extends WorkerTraceEvent['kind']>(
  events: readonly WorkerEventRecord[],
  kind: Kind,
  since: number,
): Extract<WorkerTraceEvent, { readonly kind: Kind }> | undefined {
  const found = events.findLast(({ at, event }) => event.kind === kind && at >= since);
  return found?.event as Extract<WorkerTraceEvent, { readonly kind: Kind }> | undefined;
}

function layerSpans(layers: readonly PulledLayer[] = []): Span[] {
  return layers.map(({ id, bytes, from, downloadedAt, extractedFrom, to, isPresent }) => ({
    ...{ kind: 'pullingLayer', name: id, from, to, bytes },
    ...(downloadedAt !== undefined && { downloadedAt: dateTime(downloadedAt) }),
    ...(extractedFrom !== undefined && { extractedFrom: dateTime(extractedFrom) }),
    ...(isPresent && { isPresent }),
  }));
}

function importSpans(imports: MeasuredImports | undefined): Span[] {
  return (imports?.modules ?? []).map(({ name, depth, from, to, selfMs }) => {
    return { kind: 'importing', name, depth, from, to, selfSeconds: selfMs / 1_000 };
  });
}
