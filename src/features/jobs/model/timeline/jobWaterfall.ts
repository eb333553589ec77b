import * as l10n from '@vscode/l10n';
import {
  containersOf,
  isFailure,
  type SpanKind,
  type SpanOutcome,
} from '../../../../contract/control/controlTraces.ts';
import { spanWords } from '../../../../account/spanWords.ts';
import { dataSize, preciseDuration } from '../../../../text/quantities.ts';
import type { WaterfallRow, WaterfallTone } from '../../../../text/waterfall.ts';
import type { JobLife, LifeSpan } from './jobLife.ts';

/** Where the log lines of a row are, with times in ms since the epoch. */
export interface LogPart {
  readonly workerId: string;
  readonly from: number;
  /** Undefined while the span has not ended. */
  readonly to: number | undefined;
}

export type JobWaterfallRow = WaterfallRow & { readonly log?: LogPart | undefined };

export interface JobWaterfall {
  readonly rows: readonly JobWaterfallRow[];
  /** Start and end of the bars, in ms since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Returns the spans of a job as the rows of a waterfall, each below the span that contains it. */
export function jobWaterfall(life: JobLife): JobWaterfall {
  const { spans, submittedAt, finishedAt, now } = life;
  const from = submittedAt ?? Math.min(...spans.map(({ start }) => start));
  const ends = spans.map(({ end = now }) => end);
  const to = Math.max(finishedAt ?? from, ...ends);
  const workers = new Set(spans.flatMap(({ workerId }) => workerId ?? []));
  const attempts = spans.filter(({ kind }) => kind === 'running').length;
  const context = { from, life, hasManyWorkers: workers.size > 1, hasManyAttempts: attempts > 1 };
  return { rows: nested(spans).map((one) => rowOf(one, context)), from, to };
}

interface NestedSpan {
  readonly span: LifeSpan;
  readonly depth: number;
}

/** Returns the spans in order of their starts, each after the span that contains it. */
function nested(spans: readonly LifeSpan[]): NestedSpan[] {
  const inside = Map.groupBy(spans, (span) => containerOf(span, spans));
  const below = (container: LifeSpan | undefined, depth: number): NestedSpan[] =>
    (inside.get(container) ?? [])
      .toSorted((one, other) => one.start - other.start)
      .flatMap((span) => [{ span, depth }, ...below(span, depth + 1)]);
  return below(undefined, 0);
}

function containerOf(span: LifeSpan, spans: readonly LifeSpan[]): LifeSpan | undefined {
  for (const kind of containersOf(span.kind)) {
    const [container] = spans
      .filter((other) => other.kind === kind && isSameWorker(span, other) && overlapOf(span, other) >= 0)
      .toSorted((one, other) => overlapOf(span, other) - overlapOf(span, one));
    if (container) return container;
  }
  return undefined;
}

function isSameWorker(one: LifeSpan, other: LifeSpan): boolean {
  return one.workerId === undefined || other.workerId === undefined || one.workerId === other.workerId;
}

/** Returns the time that two spans have in common, in ms. Negative if there is a gap between them. */
function overlapOf(one: LifeSpan, other: LifeSpan): number {
  const end = Math.min(one.end ?? Number.MAX_SAFE_INTEGER, other.end ?? Number.MAX_SAFE_INTEGER);
  return end - Math.max(one.start, other.start);
}

interface RowContext {
  readonly from: number;
  readonly life: JobLife;
  readonly hasManyWorkers: boolean;
  readonly hasManyAttempts: boolean;
}

function rowOf({ span, depth }: NestedSpan, context: RowContext): JobWaterfallRow {
  const { start, end } = span;
  const notes = notesOf(span, context);
  return {
    ...{ label: labelOf(span, context), depth, start, end, tone: toneOf(span) },
    ...(notes.length > 0 && { note: notes.join(' · ') }),
    log: logOf(span, context),
  };
}

function labelOf({ kind, attempt, name }: LifeSpan, { hasManyAttempts }: RowContext): string {
  if (kind === 'running' && hasManyAttempts && attempt !== undefined) return l10n.t`Attempt ${attempt}`;
  const words = spanWords(kind);
  return name === undefined ? words : `${words} ${name}`;
}

const TONES: Readonly<Partial<Record<SpanKind, WaterfallTone>>> = {
  coldStart: 'starting',
  pulling: 'starting',
  pullingLayer: 'starting',
  creating: 'starting',
  loading: 'starting',
  importing: 'starting',
  resuming: 'starting',
  running: 'working',
  streaming: 'working',
  webhook: 'working',
};

function toneOf({ kind, outcome }: LifeSpan): WaterfallTone {
  if (outcome !== undefined && isFailure(outcome)) return 'failing';
  return (Object.hasOwn(TONES, kind) ? TONES[kind as SpanKind] : undefined) ?? 'waiting';
}

const OUTCOMES: Readonly<Record<SpanOutcome, string>> = {
  ok: '',
  failed: l10n.t('failed'),
  cancelled: l10n.t('canceled'),
  timedOut: l10n.t('timed out'),
  workerLost: l10n.t('lost its worker'),
  returned: l10n.t('returned to the queue'),
};

function notesOf({ kind, start, attempt, outcome, reason, bytes, workerId }: LifeSpan, context: RowContext): string[] {
  const { from, hasManyWorkers } = context;
  const outcomeWords =
    outcome !== undefined && Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as SpanOutcome] : outcome;
  return [
    ...(start < from ? [l10n.t`began ${preciseDuration(from - start)} earlier`] : []),
    ...(outcomeWords === undefined || outcomeWords === '' ? [] : [outcomeWords]),
    ...(kind === 'webhook' && (attempt ?? 1) > 1 ? [l10n.t`delivery ${attempt ?? 1}`] : []),
    ...(reason === undefined ? [] : [reason]),
    ...(bytes === undefined ? [] : [dataSize(bytes)]),
    ...(hasManyWorkers && workerId !== undefined && ['coldStart', 'running'].includes(kind) ? [workerId] : []),
  ];
}

/** Maximum number of spans in the data for agents. */
const MAX_SPANS = 60;

/** Returns the spans of a job as data, with times in ms from its submission. Omits the layers and the modules of a start if there are many spans. */
export function timelineData(life: JobLife): object {
  const { submittedAt = life.spans[0]?.start ?? 0, source } = life;
  const detailed = nested(life.spans);
  const spans = detailed.length <= MAX_SPANS ? detailed : detailed.filter(({ depth }) => depth < 3);
  return {
    isComplete: source === 'trace',
    spans: spans.slice(0, MAX_SPANS).map(({ span: { start, end, ...span }, depth }) => ({
      ...{ depth, ...span, startMs: start - submittedAt },
      ...(end !== undefined && { durationMs: end - start }),
    })),
    ...(spans.length > MAX_SPANS && { spansLeftOut: spans.length - MAX_SPANS }),
  };
}

/** Kinds during which the worker writes its log. The parts of a start are within the lines of the start. */
const LOGGED: readonly string[] = ['coldStart', 'loading', 'resuming', 'running'] satisfies SpanKind[];

function logOf({ kind, workerId, start, end }: LifeSpan, { life }: RowContext): LogPart | undefined {
  if (workerId === undefined || life.submittedAt === undefined || !LOGGED.includes(kind)) return undefined;
  return { workerId, from: start, to: end };
}
