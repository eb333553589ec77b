import { ALERT_CONDITIONS, ALERT_DEFAULTS, type AlertCondition, type AlertsPart } from '../../../contract/alerts.ts';
import { MAX_DISTANCE_MS, type Bucket } from './bucket.ts';

/*
 * Decides which conditions of an endpoint hold. State goes in and comes out, and the measurements bring their times. A time without
 * measurements neither fires nor resolves a condition.
 */

const HOUR_MS = 3_600_000;
/** Time in which crashes are counted, in ms. */
const CRASH_WINDOW_MS = 600_000;
/** Time over which the spend is averaged, in ms. */
const SPEND_WINDOW_MS = 300_000;
/** Share of the averaged time that must be measured. */
const MEASURED_SHARE = 0.8;
/** Share of the bound below which the spend is no longer too high. */
const CALM_SHARE = 0.9;
/** Share of the bound above which the spend is too high. A sum of exact prices has rounding errors. */
const EXCESS = 1.001;
/** Number of buckets with a slow percentile that make a stretch. One slow job is none. */
const LEAST_SLOW = 3;

/** The state of one condition. Times are in ms since the epoch. */
interface Progress {
  /** The bound and its parameters. Another one starts the condition again. */
  readonly key: string;
  /** Time since which it has held and been told. */
  readonly firedSince?: number | undefined;
  /** Start of the stretch that can fire the condition. */
  readonly since?: number | undefined;
  /** Number of failures, or of slow buckets, in the stretch. */
  readonly count?: number | undefined;
  /** End of the last bucket of the stretch. */
  readonly last?: number | undefined;
  /** Start of the stretch that can resolve the condition. */
  readonly calmSince?: number | undefined;
  /** Latest value over the bound. */
  readonly value?: number | undefined;
  /** Recent buckets: ends, lengths in ms, and amounts. */
  readonly recent?: readonly (readonly [end: number, length: number, amount: number])[] | undefined;
}

/** The state of the conditions of an endpoint, which survives JSON. */
export interface AlertState {
  /** End of the last evaluated bucket. */
  readonly through: number;
  readonly conditions: Readonly<Partial<Record<AlertCondition, Progress>>>;
}

export const NO_STATE: AlertState = { through: -Infinity, conditions: {} };

export interface AlertEvent {
  readonly event: 'fired' | 'resolved';
  readonly condition: AlertCondition;
  /** Number of failures or crashes, seconds, or USD per hour. */
  readonly value: number;
  readonly bound: number;
  /** Start of the condition. Times are ms since the epoch. */
  readonly since: number;
  /** End of the bucket that fired or resolved it. */
  readonly at: number;
  /** Where the cause is to be seen. */
  readonly look: 'explanation' | 'metrics';
}

export interface Evaluation {
  readonly state: AlertState;
  readonly events: readonly AlertEvent[];
}

/** The measurements to which the conditions apply. */
export interface Watched {
  readonly alerts: AlertsPart;
  readonly isQueue: boolean;
}

/**
 * Evaluates the buckets after those of the state. Buckets that the state contains have no effect, so periods can overlap.
 *
 * @param buckets oldest first
 */
export function evaluate(state: AlertState, watched: Watched, buckets: readonly Bucket[]): Evaluation {
  let through = state.through;
  const conditions: Partial<Record<AlertCondition, Progress>> = {};
  const events: AlertEvent[] = [];
  for (const condition of ALERT_CONDITIONS) {
    const bound = boundOf(condition, watched);
    const known = state.conditions[condition];
    if (bound === undefined || known?.key !== bound.key) {
      // A condition with another bound is another one.
      if (known?.firedSince !== undefined)
        events.push(
          eventOf('resolved', condition, { ...known, firedSince: known.firedSince }, bound?.limit ?? 0, through),
        );
      if (bound) conditions[condition] = { key: bound.key };
    } else conditions[condition] = known;
  }
  for (const bucket of buckets) {
    if (bucket.start < through) continue;
    for (const condition of ALERT_CONDITIONS) {
      const bound = boundOf(condition, watched);
      const before = conditions[condition];
      if (!bound || !before) continue;
      const after = STEPS[condition](before, bucket, bound);
      conditions[condition] = after;
      if (before.firedSince === undefined && after.firedSince !== undefined)
        events.push(eventOf('fired', condition, { ...after, firedSince: after.firedSince }, bound.limit, bucket.end));
      if (before.firedSince !== undefined && after.firedSince === undefined)
        events.push(
          eventOf('resolved', condition, { ...before, firedSince: before.firedSince }, bound.limit, bucket.end),
        );
    }
    through = bucket.end;
  }
  return { state: { through, conditions }, events };
}

/** Returns the conditions that hold, in the order of the manifest's fields. */
export function firing(state: AlertState): readonly AlertCondition[] {
  return ALERT_CONDITIONS.filter((condition) => state.conditions[condition]?.firedSince !== undefined);
}

function eventOf(
  event: AlertEvent['event'],
  condition: AlertCondition,
  { firedSince, value = 0 }: Progress & { readonly firedSince: number },
  bound: number,
  at: number,
): AlertEvent {
  const look = condition === 'p99' || condition === 'spendPerHour' ? 'metrics' : 'explanation';
  return { event, condition, value, bound, since: firedSince, at, look };
}

interface Bound {
  readonly key: string;
  readonly limit: number;
  /** Time for which the condition must hold, in ms. */
  readonly forMs: number;
  readonly of: NonNullable<NonNullable<AlertsPart['p99']>['of']>;
}

function boundOf(condition: AlertCondition, { alerts, isQueue }: Watched): Bound | undefined {
  const { p99 } = alerts;
  const of = p99?.of ?? (isQueue ? 'endToEnd' : 'latency');
  const forS = p99?.for ?? ALERT_DEFAULTS.p99For;
  const limit = condition === 'p99' ? p99?.over : alerts[condition];
  if (limit === undefined) return undefined;
  const forMs = (condition === 'p99' ? forS : condition === 'queueStuck' ? limit : 0) * 1_000;
  return { key: condition === 'p99' ? `${of}/${limit}/${forS}` : String(limit), limit, forMs, of };
}

type Step = (progress: Progress, bucket: Bucket, bound: Bound) => Progress;

/**
 * Counts failures since the last bucket with a success. The order within a bucket is not known, so a bucket with both ends the row.
 */
const failuresInARow: Step = ({ key, firedSince, since, count = 0, value }, bucket, { limit }) => {
  const { succeeded, failed, start } = bucket;
  if (succeeded === undefined || failed === undefined) return { key, firedSince, since, count, value };
  if (succeeded > 0) return { key };
  if (failed === 0) return { key, firedSince, since, count, value };
  const next = { key, since: since ?? start, count: count + failed, value: count + failed };
  return { ...next, firedSince: firedSince ?? (next.count >= limit ? next.since : undefined) };
};

/**
 * A stretch is slow while each percentile that is measured is over the bound, and no more than half of the time passes between two of them.
 * It is calm while none is over the bound, and either one is measured or nothing runs or waits.
 */
const p99: Step = (progress, bucket, { limit, forMs, of }) => {
  const { key, firedSince } = progress;
  if (bucket.p99 === undefined) return progress;
  const measured = bucket.p99[of];
  if (measured !== undefined && measured > limit) {
    const isContinued = progress.last !== undefined && bucket.start - progress.last <= forMs / 2;
    const since = (isContinued ? progress.since : undefined) ?? bucket.start;
    const count = (isContinued ? (progress.count ?? 0) : 0) + 1;
    const holds = bucket.end - since >= forMs && count >= LEAST_SLOW;
    return {
      ...{ key, since, count, last: bucket.end, value: measured },
      firedSince: firedSince ?? (holds ? since : undefined),
    };
  }
  const isCalm = measured !== undefined || (bucket.waiting !== true && bucket.running === 0);
  if (firedSince === undefined) return measured === undefined ? progress : { key };
  if (!isCalm) return progress;
  // Only a continuous time is calm.
  const isContinued = progress.last === undefined || bucket.start - progress.last <= forMs / 2;
  const calmSince = (isContinued ? progress.calmSince : undefined) ?? bucket.start;
  if (bucket.end - calmSince >= forMs) return { key };
  return { key, firedSince, value: progress.value, calmSince, last: bucket.end };
};

/** Maximum time between two checks that belong to one stretch, in ms. */
const MAX_GAP_MS = MAX_DISTANCE_MS;

const queueStuck: Step = ({ key, firedSince, since, last, value }, bucket, { forMs }) => {
  const { waiting, progress, start, end } = bucket;
  if (waiting === undefined || progress === undefined) return { key, firedSince, since, last, value };
  if (!waiting || progress) return { key };
  const isContinued = firedSince !== undefined || (last !== undefined && start - last <= MAX_GAP_MS);
  const from = (isContinued ? since : undefined) ?? start;
  return {
    ...{ key, since: from, last: end, value: (end - from) / 1_000 },
    firedSince: firedSince ?? (end - from >= forMs ? from : undefined),
  };
};

/** Counts the crashes of a window. It is over without a crash in a whole window, and without a worker that cannot run. */
const crashLoop: Step = (progress, bucket, { limit }) => {
  const { key, firedSince, value } = progress;
  if (bucket.crashes === undefined) return progress;
  const seen = [...(progress.recent ?? []), [bucket.end, bucket.end - bucket.start, bucket.crashes] as const];
  const recent = seen.filter(([end, , crashes]) => end > bucket.end - CRASH_WINDOW_MS && crashes > 0);
  const count = sum(recent.map(([, , crashes]) => crashes));
  const isContinued = progress.last !== undefined && bucket.start - progress.last <= MAX_GAP_MS;
  const isCalm = bucket.crashes === 0 && bucket.unhealthy === 0;
  const calmSince = isCalm ? ((isContinued ? progress.calmSince : undefined) ?? bucket.start) : undefined;
  const last = bucket.end;
  if (firedSince !== undefined) {
    const isOver = calmSince !== undefined && bucket.end - calmSince >= CRASH_WINDOW_MS;
    return isOver ? { key } : { key, firedSince, value: Math.max(count, value ?? 0), recent, calmSince, last };
  }
  const first = recent[0];
  return {
    ...{ key, recent, last, value: count },
    firedSince: count >= limit && first ? first[0] - first[1] : undefined,
  };
};

const spendPerHour: Step = (progress, bucket, { limit }) => {
  const { key, firedSince } = progress;
  if (bucket.spendUsd === undefined) return progress;
  const seen = [...(progress.recent ?? []), [bucket.end, bucket.end - bucket.start, bucket.spendUsd] as const];
  const recent = seen.filter(([end]) => end > bucket.end - SPEND_WINDOW_MS);
  const length = sum(recent.map(([, ms]) => ms));
  if (length < SPEND_WINDOW_MS * MEASURED_SHARE) return { ...progress, recent };
  const rate = sum(recent.map(([, , usd]) => usd)) / (length / HOUR_MS);
  if (firedSince === undefined) {
    const first = recent[0];
    return { key, recent, value: rate, firedSince: rate > limit * EXCESS && first ? first[0] - first[1] : undefined };
  }
  return rate < limit * CALM_SHARE ? { key, recent } : { key, recent, firedSince, value: rate };
};

const STEPS: Readonly<Record<AlertCondition, Step>> = { failuresInARow, p99, queueStuck, crashLoop, spendPerHour };

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
