import { precise } from '../../account/prices/money.ts';
import type { Tuned, TuningPlan } from '../../features/tuning/actions/tune.ts';
import { PRESENT, type Candidate } from '../../features/tuning/model/candidates.ts';
import { proposalsOf, type Point, type ProposalGoals } from '../../features/tuning/model/points.ts';
import type { CompleteLoad } from '../../features/tuning/model/tunedLoad.ts';
import {
  changesText,
  comparisonText,
  hardwareName,
  idleText,
  planSentences,
  scalingText,
  settingChanges,
} from '../../features/tuning/model/words.ts';
import { code, prose, table } from '../../text/markdown.ts';
import { preciseDuration } from '../../text/quantities.ts';

/* The result of a tuning as JSON, as text, and as Markdown. */

export interface TuneReport {
  readonly plan: TuningPlan;
  readonly load: CompleteLoad;
  readonly tuned: Tuned;
  readonly present: Point;
  readonly goals: ProposalGoals;
  /** Goals that the present settings miss. */
  readonly misses: readonly string[];
}

/** Most rows of a table. */
const MAX_ROWS = 20;

export function tuneJson({ plan, load, tuned, present, goals, misses }: TuneReport): object {
  const { cheapest, fastest, target } = proposalsOf(tuned.frontier, present, goals);
  const one = (point: Point | undefined) => (point ? pointJson(point) : null);
  return {
    ...{ endpoint: plan.subject.name, settings: tuned.points.length },
    load: loadJson(load),
    present: pointJson(present),
    frontier: tuned.frontier.map(pointJson),
    proposals: { cheapest: one(cheapest), fastest: one(fastest), target: one(target) },
    ...{ misses, unknownHardware: plan.unknownHardware },
  };
}

/** Returns the load with the origin of its numbers. `measured` is the number of measured times, 0 for an assumed one. */
export function loadJson({ arrivals, executions, coldStarts, resumes }: CompleteLoad): object {
  const times = ({ origin, count }: CompleteLoad['executions']) => ({ origin, measured: count });
  return {
    ...{ origin: arrivals.origin, arrivals: arrivals.ms.length, ofArrivals: arrivals.total },
    seconds: arrivals.durationMs / 1_000,
    ...{ executions: times(executions), coldStarts: times(coldStarts) },
    ...(resumes && { resumes: times(resumes) }),
  };
}

export function pointJson({ candidate, usdPerMonth, waitMs, result }: Point): object {
  const { coldStarts, peakWorkers, utilization, timedOut, completed } = result;
  return {
    ...settingsJson(candidate),
    ...{ usdPerMonth, waitMs: { ...result.waitMs, p95: waitMs } },
    ...{ completed, timedOut, coldStarts, peakWorkers, utilization },
  };
}

function settingsJson({ settings, hardware: { kind, id, count, usdPerHour, executionFactor } }: Candidate): object {
  const { scaling, min, max, idleTimeout, flashboot } = settings;
  return {
    ...{ scaling, workers: { min, max, idleTimeout }, flashboot },
    hardware: { kind, id, count, usdPerHour, executionFactor },
  };
}

export function tuneLines(report: TuneReport): readonly string[] {
  const { plan, tuned, present } = report;
  const rows = rowsOf(report);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    `${plan.subject.name}: ${tuned.points.length} settings simulated, on ${hardwareName(present.candidate.hardware)}`,
    ...planSentences(plan).map((sentence) => `  ${sentence}`),
    '',
    ...[line(HEAD), ...rows.map(line)].map((text) => `  ${text}`),
    '',
    ...proposalLines(report).map((text) => `  ${text}`),
  ];
}

const HEAD = ['', 'USD/month', 'p95 wait', 'Scaling', 'Workers', 'Idle', 'FlashBoot', 'Hardware'];

/** Returns the rows of the frontier, with the present settings. A star marks them. */
function rowsOf({ plan, tuned: { frontier }, present }: TuneReport): readonly (readonly string[])[] {
  const isListed = frontier.some(({ candidate }) => candidate.id === PRESENT);
  const step = Math.max(1, frontier.length / MAX_ROWS);
  const kept = frontier.filter(
    ({ candidate }, index) =>
      candidate.id === PRESENT || index === frontier.length - 1 || Math.floor(index % step) === 0,
  );
  const all = (isListed ? kept : [...kept, present]).toSorted((one, other) => one.usdPerMonth - other.usdPerMonth);
  return all.map(({ candidate, usdPerMonth, waitMs }) => [
    candidate.id === PRESENT ? '*' : '',
    precise(usdPerMonth),
    preciseDuration(waitMs),
    scalingText(candidate.settings),
    `${candidate.settings.min}–${candidate.settings.max}`,
    idleText(plan.subject.type, candidate.settings),
    candidate.settings.flashboot,
    hardwareName(candidate.hardware),
  ]);
}

function proposalLines({ plan, tuned, present, goals }: TuneReport): readonly string[] {
  const { cheapest, fastest, target } = proposalsOf(tuned.frontier, present, goals);
  const line = (title: string, point: Point | undefined, none: string) =>
    point === undefined
      ? `${title}: ${none}`
      : point.candidate.id === PRESENT
        ? `${title}: the present settings`
        : `${title}: ${comparisonText(present, point)} (${changesText(settingChanges(plan.subject.type, present.candidate, point.candidate))})`;
  return [
    line('Cheapest at the same wait', cheapest, 'the present settings'),
    line('Fastest at the same cost', fastest, 'the present settings'),
    ...(goals.targetWaitMs === undefined
      ? []
      : [line(`Cheapest under ${preciseDuration(goals.targetWaitMs)}`, target, 'no setting')]),
  ];
}

export function tuneMarkdown(report: TuneReport): string {
  const { plan } = report;
  const paragraphs = [
    `### Scaling of ${code(plan.subject.name).source}`,
    proposalLines(report)
      .map((line) => `- ${prose(line, LONGEST_LINE).source}`)
      .join('\n'),
    table(
      rowsOf(report).map((cells) => cells.map((cell) => (cell === '' ? '' : code(cell)))),
      HEAD,
    ).source,
    planSentences(plan)
      .map((sentence) => prose(sentence, LONGEST_LINE).source)
      .join(' '),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

const LONGEST_LINE = 1_000;
