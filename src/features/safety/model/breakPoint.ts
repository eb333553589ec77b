import * as l10n from '@vscode/l10n';
import type { Difference } from './effects.ts';

/** A reproducible disturbance of a job. Numbers count from 1. */
export type BreakPoint =
  | { readonly kind: 'killedBeforeTake' | 'killedBeforeResult' | 'resultLost' | 'answerLost' | 'twoWorkers' }
  | { readonly kind: 'killedAtProgress' | 'expiredAtProgress'; readonly number: number }
  | { readonly kind: 'killedAtCall' | 'expiredAtCall'; readonly number: number; readonly call: string };

/** What an undisturbed run shows to break. */
export interface Steps {
  /** Number of progress reports. */
  readonly progress: number;
  /** Calls as method and path, in their order. */
  readonly calls: readonly string[];
  /** Whether this machine has room for two workers. */
  readonly twoWorkers: boolean;
}

/** Maximum number of points for calls, and for progress reports, of one job. */
const MAX_STEPS = 20;

/** Returns the points at which a job can break, those first that are easiest to reproduce. */
export function breakPointsOf({ progress, calls, twoWorkers }: Steps): readonly BreakPoint[] {
  const reports = Array.from({ length: Math.min(progress, MAX_STEPS) }, (_, index) => index + 1);
  const shown = calls.slice(0, MAX_STEPS).map((call, index) => ({ number: index + 1, call }));
  return [
    { kind: 'killedBeforeTake' },
    ...reports.map((number) => ({ kind: 'killedAtProgress' as const, number })),
    ...shown.map((call) => ({ kind: 'killedAtCall' as const, ...call })),
    { kind: 'killedBeforeResult' },
    { kind: 'resultLost' },
    { kind: 'answerLost' },
    ...(twoWorkers
      ? [
          ...reports.map((number) => ({ kind: 'expiredAtProgress' as const, number })),
          ...shown.map((call) => ({ kind: 'expiredAtCall' as const, ...call })),
          { kind: 'twoWorkers' as const },
        ]
      : []),
  ];
}

/** Whether two workers run the job at the point. */
export function needsTwoWorkers({ kind }: BreakPoint): boolean {
  return kind === 'twoWorkers' || kind === 'expiredAtCall' || kind === 'expiredAtProgress';
}

/** Identifies a point among those of its job. */
export function pointId(point: BreakPoint): string {
  return 'number' in point ? `${point.kind}:${point.number}` : point.kind;
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
    case 'killedBeforeResult':
      return l10n.t('the worker is killed after its work and before its result is stored');
    case 'resultLost':
      return l10n.t('the result of the worker is lost');
    case 'answerLost':
      return l10n.t('the result is stored, and the worker delivers it again because the answer is lost');
    case 'expiredAtProgress':
      return l10n.t`the lease expires after progress report ${point.number} while the worker continues`;
    case 'expiredAtCall':
      return l10n.t`the lease expires after HTTP call ${point.number} (${point.call}) while the worker continues`;
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
