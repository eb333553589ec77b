import * as l10n from '@vscode/l10n';
import { precise } from '../../../account/prices/money.ts';
import { duration, preciseDuration } from '../../../text/quantities.ts';
import type { TuningObstacle, TuningPlan } from '../actions/tune.ts';
import { hasIdleTimeout, keepsUp, type Candidate, type TunedHardware, type TunedSettings } from './candidates.ts';
import type { EndpointType } from '../../../contract/endpointSettings.ts';
import type { SimulationFailure } from '../../../machine/simulationProcess.ts';
import { SAME_USD, type Point } from './points.ts';
import { meanOf, type Times } from './times.ts';
import type { TunedLoad } from './tunedLoad.ts';

/* The results of a simulation as people read them. */

/** A setting by its name in a manifest. */
export interface SettingChange {
  readonly setting: string;
  readonly from: string | number;
  readonly to: string | number;
}

/** Returns the settings in which a candidate differs from another one. */
export function settingChanges(type: EndpointType, from: Candidate, to: Candidate): readonly SettingChange[] {
  const [before, after] = [valuesOf(type, from), valuesOf(type, to)];
  return Object.keys({ ...before, ...after }).flatMap((setting) => {
    const [old = NONE, now = NONE] = [before[setting], after[setting]];
    return old === now ? [] : [{ setting, from: old, to: now }];
  });
}

/** Value of a setting that one of the candidates does not have. */
const NONE = '–';

function valuesOf(type: EndpointType, { settings, hardware }: Candidate): Readonly<Record<string, string | number>> {
  const { scaling, min, max, idleTimeout, flashboot } = settings;
  return {
    'scaling.type': scaling.type,
    ...(scaling.type === 'QUEUE_DELAY'
      ? { 'scaling.queueDelay': scaling.queueDelay }
      : { 'scaling.requestCount': scaling.requestCount }),
    'workers.min': min,
    'workers.max': max,
    ...(hasIdleTimeout(type, scaling) && { 'workers.idleTimeout': idleTimeout }),
    flashboot,
    hardware: hardwareName(hardware),
  };
}

/** Returns changes on one line, such as `workers.max: 3 → 5, flashboot: OFF → FLASHBOOT`. */
export function changesText(changes: readonly SettingChange[]): string {
  return changes.map(({ setting, from, to }) => `${setting}: ${from} → ${to}`).join(', ');
}

export function hardwareName({ kind, id, count }: Pick<TunedHardware, 'kind' | 'id' | 'count'>): string {
  return kind === 'cpu' ? `${id}, ${count} vCPU` : count > 1 ? `${count} × ${id}` : id;
}

/** Returns the rule of a scaling, such as `QUEUE_DELAY 4 s`. */
export function scalingText({ scaling }: Pick<TunedSettings, 'scaling'>): string {
  return scaling.type === 'QUEUE_DELAY'
    ? `QUEUE_DELAY ${scaling.queueDelay} s`
    : `REQUEST_COUNT ${scaling.requestCount}`;
}

/** Returns the idle timeout of a setting, or a dash if the scaling rule ignores it. */
export function idleText(type: EndpointType, { scaling, idleTimeout }: TunedSettings): string {
  return hasIdleTimeout(type, scaling) ? l10n.t`${idleTimeout} s` : NONE;
}

/** Compares a setting with the present ones in one sentence: `saves $212.00 a month; p95 wait from 1.9 s to 2.3 s`. */
export function comparisonText(present: Point, chosen: Point): string {
  const difference = chosen.usdPerMonth - present.usdPerMonth;
  const amount = precise(Math.abs(difference));
  const [from, to] = [preciseDuration(present.waitMs), preciseDuration(chosen.waitMs)];
  if (Math.abs(difference) < SAME_USD)
    return from === to
      ? l10n.t`costs the same; p95 wait stays ${to}`
      : l10n.t`costs the same; p95 wait from ${from} to ${to}`;
  if (difference < 0)
    return from === to
      ? l10n.t`saves ${amount} a month; p95 wait stays ${to}`
      : l10n.t`saves ${amount} a month; p95 wait from ${from} to ${to}`;
  return from === to
    ? l10n.t`costs ${amount} more a month; p95 wait stays ${to}`
    : l10n.t`costs ${amount} more a month; p95 wait from ${from} to ${to}`;
}

const DAY_S = 86_400;
const MINUTE_MS = 60_000;

/** Describes a load and where its numbers come from, one sentence each. Everything that was not measured says so. */
export function loadSentences({ arrivals, executions, coldStarts, resumes }: TunedLoad): readonly string[] {
  const { ms, durationMs, total } = arrivals;
  return [
    arrivalsSentence(arrivals),
    ...(total > ms.length
      ? [l10n.t`Only ${ms.length} of ${total} arrivals are simulated, over ${periodText(durationMs)}.`]
      : []),
    ...(executions ? [timesSentence(executions, EXECUTIONS)] : []),
    ...(coldStarts ? [timesSentence(coldStarts, COLD_STARTS)] : []),
    resumes
      ? l10n.t`The resume time of FlashBoot is assumed: ${preciseDuration(meanOf(resumes))}.`
      : l10n.t(
          'The resume time of FlashBoot is not known, so FlashBoot stays as it is, and a resume takes as long as a cold start.',
        ),
    ...(durationMs < DAY_S * 1_000
      ? [l10n.t`A month is extrapolated from ${periodText(durationMs)}, without nights and weekends.`]
      : []),
  ];
}

/** Formats the time of a load, which can be a fraction of a second. */
function periodText(ms: number): string {
  return ms < MINUTE_MS ? preciseDuration(ms) : duration(ms / 1_000);
}

function arrivalsSentence({ ms, durationMs, origin, stepMs = 0 }: TunedLoad['arrivals']): string {
  const [count, time] = [ms.length, periodText(durationMs)];
  switch (origin) {
    case 'jobs':
      return l10n.t`The load is ${count} measured arrivals in ${time}.`;
    case 'ownJobs':
      return l10n.t`The load is ${count} jobs in ${time} that you ran from this editor. Jobs of other clients are not known.`;
    case 'counts':
      return l10n.t`The load is ${count} measured arrivals in ${time}, at random times within each ${periodText(stepMs)}.`;
    case 'file':
      return l10n.t`The load is ${count} arrivals in ${time} from a file.`;
    case 'pattern':
      return l10n.t`The load is an assumed pattern: ${count} arrivals in ${time}.`;
  }
}

interface TimesWords {
  readonly measured: (count: number, mean: string) => string;
  readonly percentiles: (count: number, mean: string) => string;
  readonly given: (mean: string) => string;
}

const EXECUTIONS: TimesWords = {
  measured: (count, mean) => l10n.t`Execution times are those of ${count} jobs, ${mean} on average.`,
  percentiles: (count, mean) => l10n.t`Execution times have the percentiles of ${count} jobs, ${mean} on average.`,
  given: (mean) => l10n.t`The execution time is assumed: ${mean}.`,
};
const COLD_STARTS: TimesWords = {
  measured: (count, mean) => l10n.t`Cold starts are the waits of ${count} jobs for a new worker, ${mean} on average.`,
  percentiles: (count, mean) => l10n.t`Cold starts have the percentiles of ${count} starts, ${mean} on average.`,
  given: (mean) => l10n.t`The cold start is assumed: ${mean}.`,
};
function timesSentence(times: Times, words: TimesWords): string {
  const { origin, count } = times;
  const mean = preciseDuration(meanOf(times));
  if (origin === 'given') return words.given(mean);
  return origin === 'percentiles' ? words.percentiles(count, mean) : words.measured(count, mean);
}

/** Describes the load of a plan, and what its result does not tell, one sentence each. */
export function planSentences({ load, candidates, unknownHardware }: TuningPlan): readonly string[] {
  const [present] = candidates;
  return [
    ...(present && !keepsUp(present.settings, present.hardware, load)
      ? [
          l10n.t(
            'The present settings cannot keep up with the load: jobs wait longer and longer while it lasts, so their numbers mean little.',
          ),
        ]
      : []),
    ...loadSentences(load),
    ...(unknownHardware.length > 0
      ? [
          l10n.t`Other hardware that satisfies the endpoint is left out, because the execution times on it are not known: ${unknownHardware.join(', ')}.`,
        ]
      : []),
  ];
}

/** Explains why nothing was simulated, as a clause. */
export function obstacleWords(obstacle: TuningObstacle): string {
  return obstacle === 'paused'
    ? l10n.t('the endpoint is paused: workers.max is 0')
    : l10n.t('the catalog has no price for the present hardware');
}

/** Explains why a simulation ended early, as a clause. */
export function failureWords(end: SimulationFailure): string {
  switch (end.kind) {
    case 'canceled':
      return l10n.t('the simulation was canceled');
    case 'notStarted':
      return l10n.t`the simulation could not be started (${end.detail})`;
    case 'died':
      return l10n.t`the simulation ended early (${end.detail})`;
    case 'invalid':
      return l10n.t`the simulation printed an invalid line (${end.detail})`;
  }
}

/** Makes a clause a sentence. */
export function sentence(clause: string): string {
  return `${clause.charAt(0).toLocaleUpperCase()}${clause.slice(1)}.`;
}
