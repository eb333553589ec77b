import { readSystemLine, type ReadLine } from '../../../../contract/systemLines.ts';
import type { ReadLogLine } from '../../model/readLogLine.ts';

/** A line of a page, and the rows that show it. */
export interface PlacedLine {
  /** Index of the log. */
  readonly log: number;
  /** In ms since the epoch. */
  readonly at: number;
  readonly read: ReadLogLine;
  /** First row, from 0. */
  readonly row: number;
  /** Last row. */
  readonly lastRow: number;
}

/** Consecutive rows, both inclusive. */
export interface Rows {
  readonly first: number;
  readonly last: number;
}

/** The lines of one job without lines of other jobs or workers between them. */
export interface JobRun extends Rows {
  readonly kind: 'job';
  readonly log: number;
  readonly requestId: string;
  /** Time of the first line, in ms since the epoch. */
  readonly at: number;
  /** Time of the last line of the job on the page, in ms since the epoch. */
  endAt: number;
  /** Whether an earlier run on the page is of the same job. */
  readonly isContinuation: boolean;
}

/** An event in the life of a worker. */
export interface LifeEvent extends Rows {
  readonly kind: 'event';
  readonly log: number;
  readonly event: LifeEventKind;
  readonly at: number;
}

/** The lines from the start of a worker's process to its next start. */
export interface WorkerStart extends Rows {
  readonly kind: 'start';
  /** Number of the start on the page, from 1. */
  readonly number: number;
  readonly at: number;
  readonly items: readonly (JobRun | LifeEvent)[];
}

export interface PageStructure {
  /** Starts of the worker in a log of one worker, and otherwise jobs and events, in their order. */
  readonly items: readonly (WorkerStart | JobRun | LifeEvent)[];
}

type LineKind = ReadLine['kind'];

/** Events in the life of a worker. Other lines of the host are about the progress of an event, or repeat output. */
const LIFE_EVENTS = [
  'created',
  'starting',
  'containerStarting',
  'pulling',
  'imageUnavailable',
  'started',
  'stillStarting',
  'slowStart',
  'ready',
  'notReady',
  'notStarted',
  'notStartedBecause',
  'engineUnreachable',
  'engineReachable',
  'waitingForSlot',
  'waitingForPlace',
  'waitingForGpus',
  'frozen',
  'resumed',
  'restarting',
  'stopping',
  'retired',
  'ended',
  'failed',
  'failedSilently',
  'unhealthy',
  'linesLost',
  'linesDropped',
] as const satisfies readonly LineKind[];

export type LifeEventKind = (typeof LIFE_EVENTS)[number];

const lifeEvents: ReadonlySet<LineKind> = new Set(LIFE_EVENTS);

/** Events that begin a start. Several of them can belong to the same start. */
const BEGINNINGS: ReadonlySet<LifeEventKind> = new Set<LifeEventKind>([
  'created',
  'starting',
  'containerStarting',
  'pulling',
  'waitingForSlot',
  'waitingForPlace',
  'waitingForGpus',
  'resumed',
]);

/** Finds the jobs and the events of a page. @param isOneWorker whether all lines are of one worker, so that its starts are consecutive */
export function structureOf(lines: readonly PlacedLine[], isOneWorker: boolean): PageStructure {
  const items: (JobRun | LifeEvent)[] = [];
  const starts: StartingPoint[] = [];
  let job: OpenJob | undefined;
  let isBeginning = false;
  const firstRuns = new Map<string, JobRun>();
  const closeJob = () => {
    if (!job) return;
    const key = `${job.first.log}/${job.requestId}`;
    const firstRun = firstRuns.get(key);
    const run = closed(job, firstRun !== undefined);
    if (firstRun) firstRun.endAt = run.endAt;
    else firstRuns.set(key, run);
    items.push(run);
    job = undefined;
  };
  for (const line of lines) {
    const event = eventOf(line);
    const { requestId } = line.read;
    if (event || (job && (job.first.log !== line.log || (requestId !== undefined && requestId !== job.requestId))))
      closeJob();
    if (requestId !== undefined) job = { first: job?.first ?? line, requestId, last: line };
    const begins = event !== undefined && BEGINNINGS.has(event);
    if (begins && !isBeginning) starts.push({ line, items: items.length });
    // The output of the host, such as the progress of a download, is part of the beginning.
    isBeginning = begins || (isBeginning && event === undefined && line.read.isSystem);
    if (event) items.push({ kind: 'event', log: line.log, event, at: line.at, first: line.row, last: line.lastRow });
  }
  closeJob();
  return { items: isOneWorker ? inStarts(items, starts, lines.at(-1)?.lastRow ?? 0) : items };
}

/** Returns whether an item is in the outline, which contains each job once. */
export function isInOutline(item: WorkerStart | JobRun | LifeEvent): boolean {
  return item.kind !== 'job' || !item.isContinuation;
}

/** Returns the rows that can be folded: jobs and starts with more than one row. */
export function foldsOf({ items }: PageStructure): Rows[] {
  return items
    .flatMap((item) => (item.kind === 'start' ? [item, ...item.items] : [item]))
    .filter(({ kind, first, last }) => kind !== 'event' && last > first)
    .map(({ first, last }) => ({ first, last }));
}

interface OpenJob {
  readonly first: PlacedLine;
  readonly last: PlacedLine;
  readonly requestId: string;
}

interface StartingPoint {
  readonly line: PlacedLine;
  /** Number of items before the start. */
  readonly items: number;
}

function eventOf({ read }: PlacedLine): LifeEventKind | undefined {
  const kind = read.isSystem ? readSystemLine(read.text)?.kind : undefined;
  return kind !== undefined && lifeEvents.has(kind) ? (kind as LifeEventKind) : undefined;
}

function closed({ first, last, requestId }: OpenJob, isContinuation: boolean): JobRun {
  const { log, at, row } = first;
  return { kind: 'job', log, requestId, at, endAt: last.at, isContinuation, first: row, last: last.lastRow };
}

function inStarts(
  items: readonly (JobRun | LifeEvent)[],
  starts: readonly StartingPoint[],
  lastRow: number,
): (WorkerStart | JobRun | LifeEvent)[] {
  const before = items.slice(0, starts[0]?.items);
  const groups = starts.map(({ line, items: from }, index): WorkerStart => {
    const next = starts[index + 1];
    return {
      kind: 'start',
      number: index + 1,
      at: line.at,
      first: line.row,
      last: next ? next.line.row - 1 : lastRow,
      items: items.slice(from, next?.items),
    };
  });
  return [...before, ...groups];
}
