import * as l10n from '@vscode/l10n';
import type { Difference } from './effects.ts';

/** A reproducible disturbance of a job. Numbers count from 1. */
export type BreakPoint =
  | { readonly kind: 'killedBeforeTake' | 'killedBeforeResult' | 'resultLost' | 'answerLost' | 'twoWorkers' }
  | { readonly kind: 'killedAtProgress' | 'expiredAtProgress' | 'overlapAtProgress'; readonly number: number }
  | {
      readonly kind: 'killedBeforeCall' | 'killedAtCall' | 'expiredAtCall' | 'overlapAtCall';
      readonly number: number;
      readonly call: string;
    }
  | { readonly kind: 'killedAtFile'; readonly number: number; readonly file: string; readonly next: string };

/** What an undisturbed run shows to break. */
export interface Steps {
  /** Number of progress reports. */
  readonly progress: number;
  /** Calls as method and path, in their order. */
  readonly calls: readonly string[];
  /** Names of changed files, in the order of the changes. */
  readonly files: readonly string[];
  /** Whether the run has effects other than calls, which can happen between them. */
  readonly hasOtherEffects: boolean;
  /** Whether this machine has room for two workers. */
  readonly twoWorkers: boolean;
}

/** Maximum number of points for calls, for changes of files, and for progress reports, of one job. */
const MAX_STEPS = 20;

/** Returns the points at which a job can break, those first that are easiest to reproduce. */
export function breakPointsOf({ progress, calls, files, hasOtherEffects, twoWorkers }: Steps): readonly BreakPoint[] {
  const reports = Array.from({ length: Math.min(progress, MAX_STEPS) }, (_, index) => index + 1);
  const shown = calls.slice(0, MAX_STEPS).map((call, index) => ({ number: index + 1, call }));
  const changes = files
    .slice(0, -1)
    .slice(0, MAX_STEPS)
    .map((file, index) => ({ number: index + 1, file, next: files[index + 1] ?? '' }));
  const atReports = (kind: 'killedAtProgress' | 'expiredAtProgress' | 'overlapAtProgress') =>
    reports.map((number) => ({ kind, number }));
  const atCalls = (kind: 'killedBeforeCall' | 'killedAtCall' | 'expiredAtCall' | 'overlapAtCall') =>
    shown.map((call) => ({ kind, ...call }));
  return [
    { kind: 'killedBeforeTake' },
    ...atReports('killedAtProgress'),
    ...atCalls('killedAtCall'),
    ...(hasOtherEffects ? atCalls('killedBeforeCall') : []),
    ...changes.map((change) => ({ kind: 'killedAtFile' as const, ...change })),
    { kind: 'killedBeforeResult' },
    { kind: 'resultLost' },
    { kind: 'answerLost' },
    ...(twoWorkers
      ? [
          ...atReports('expiredAtProgress'),
          ...atCalls('expiredAtCall'),
          ...atReports('overlapAtProgress'),
          ...atCalls('overlapAtCall'),
          { kind: 'twoWorkers' as const },
        ]
      : []),
  ];
}

/** Whether two workers run the job at the point. */
export function needsTwoWorkers({ kind }: BreakPoint): boolean {
  return kind === 'twoWorkers' || kind.startsWith('expired') || kind.startsWith('overlap');
}

const ORDER: readonly BreakPoint['kind'][] = [
  ...(['killedBeforeTake', 'killedAtProgress', 'killedAtCall', 'killedBeforeCall', 'killedAtFile'] as const),
  ...(['killedBeforeResult', 'resultLost', 'answerLost', 'expiredAtProgress', 'expiredAtCall'] as const),
  ...(['overlapAtProgress', 'overlapAtCall', 'twoWorkers'] as const),
];

/** Returns a text by which lists of points have the order of `breakPointsOf`. */
export function pointOrder(point: BreakPoint): string {
  const numbers = [ORDER.indexOf(point.kind), 'number' in point ? point.number : 0];
  return numbers.map((number) => String(number).padStart(2, '0')).join('.');
}

/** Identifies a point among those of its job. */
export function pointId(point: BreakPoint): string {
  return 'number' in point ? `${point.kind}:${point.number}` : point.kind;
}

/** Names a point in a few words, as in a list. */
export function pointLabel(point: BreakPoint): string {
  switch (point.kind) {
    case 'killedBeforeTake':
      return l10n.t('Killed before the job');
    case 'killedAtProgress':
      return l10n.t`Killed after report ${point.number}`;
    case 'killedBeforeCall':
      return l10n.t`Killed before call ${point.number} (${point.call})`;
    case 'killedAtCall':
      return l10n.t`Killed after call ${point.number} (${point.call})`;
    case 'killedAtFile':
      return l10n.t`Killed after file change ${point.number} (${point.file})`;
    case 'killedBeforeResult':
      return l10n.t('Killed before the result');
    case 'resultLost':
      return l10n.t('Result lost');
    case 'answerLost':
      return l10n.t('Result delivered twice');
    case 'expiredAtProgress':
      return l10n.t`Overtaken at report ${point.number}`;
    case 'expiredAtCall':
      return l10n.t`Overtaken at call ${point.number} (${point.call})`;
    case 'overlapAtProgress':
      return l10n.t`Overlapped at report ${point.number}`;
    case 'overlapAtCall':
      return l10n.t`Overlapped at call ${point.number} (${point.call})`;
    case 'twoWorkers':
      return l10n.t('Two workers at once');
  }
}

/** Describes a point as a clause that can follow "if". */
export function pointWords(point: BreakPoint): string {
  switch (point.kind) {
    case 'killedBeforeTake':
      return l10n.t('the worker is killed before it receives the job');
    case 'killedAtProgress':
      return l10n.t`the worker is killed after progress report ${point.number} and before its result`;
    case 'killedAtCall':
      return l10n.t`the worker is killed after HTTP call ${point.number} (${point.call}) and before its result`;
    case 'killedBeforeCall':
      return l10n.t`the worker is killed just before HTTP call ${point.number} (${point.call})`;
    case 'killedAtFile':
      return l10n.t`the worker is killed after file change ${point.number} (${point.file}) and before the next one (${point.next})`;
    case 'killedBeforeResult':
      return l10n.t('the worker is killed after its work and before its result is stored');
    case 'resultLost':
      return l10n.t('the result of the worker is lost');
    case 'answerLost':
      return l10n.t('the result is stored, and the worker delivers it again because the answer is lost');
    case 'expiredAtProgress':
      return l10n.t`the lease expires after progress report ${point.number}, and the worker continues after another one has finished the job`;
    case 'expiredAtCall':
      return l10n.t`the lease expires after HTTP call ${point.number} (${point.call}), and the worker continues after another one has finished the job`;
    case 'overlapAtProgress':
      return l10n.t`the lease expires after progress report ${point.number}, and the worker finishes while another one is at the same report`;
    case 'overlapAtCall':
      return l10n.t`the lease expires after HTTP call ${point.number} (${point.call}), and the worker finishes while another one is at the same call`;
    case 'twoWorkers':
      return l10n.t('two workers receive the job at the same time');
  }
}

/** Describes a difference as a clause. */
function differenceWords(difference: Difference): string {
  switch (difference.kind) {
    case 'status':
      return l10n.t`the job ends as ${difference.actual} instead of ${difference.expected}`;
    case 'call':
      return difference.actual > difference.expected
        ? l10n.t`${difference.name} is sent again (${difference.actual} times instead of ${difference.expected})`
        : l10n.t`${difference.name} is sent ${difference.actual} times instead of ${difference.expected}`;
    case 'line':
      return difference.name === ''
        ? l10n.t`the command prints ${difference.actual} new lines instead of ${difference.expected}`
        : l10n.t`the command prints “${difference.name}” ${difference.actual} times instead of ${difference.expected}`;
    case 'callBody':
      return l10n.t`${difference.name} has another body`;
    case 'fileMissing':
      return l10n.t`the file ${difference.name} is missing`;
    case 'fileLeft':
      return l10n.t`the file ${difference.name} is left over`;
    case 'fileContent':
      return l10n.t`the file ${difference.name} has other content`;
    case 'fileLines':
      return l10n.t`the file ${difference.name} has ${difference.actual} lines instead of ${difference.expected}`;
  }
}

/** Describes an unsafe point as one sentence without a period: the first difference, and how to reproduce it. */
export function unsafeWords(point: BreakPoint, [first]: readonly Difference[]): string {
  return first === undefined ? '' : l10n.t`${differenceWords(first)} if ${pointWords(point)}`;
}

/** Describes all differences of an unsafe point, each as a clause. */
export function allDifferences(differences: readonly Difference[]): readonly string[] {
  return differences.map(differenceWords);
}
