import type { MetricsPoint } from '../../../contract/control/controlMetrics.ts';
import type { TraceSpan, WorkerStartTrace } from '../../../contract/control/controlTraces.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';

/* Proposals that shorten or avoid a cold start, from the measured start of a worker. Times are in seconds, and amounts in USD. */

/** A change that saves time. `seconds` are saved with each cold start that the change affects. */
export type Proposal = Saving &
  (
    | { readonly code: 'importLazily'; readonly module: string }
    /** @param bytes size of the download, if it is known */
    | { readonly code: 'shrinkLayer'; readonly layer: string; readonly bytes: number | undefined }
    /** @param before first layer that had to be pulled, which is smaller */
    | { readonly code: 'moveLayerUp'; readonly layer: string; readonly before: string }
    | { readonly code: 'flashboot' }
    | { readonly code: 'minWorkers' }
    | { readonly code: 'idleTimeout'; readonly timeout: number; readonly avoided: number }
  );

interface Saving {
  readonly seconds: number;
  readonly cost?: MonthlyCost | undefined;
}

/** The cost of a change, at the frequency of the measured cold starts. */
export interface MonthlyCost {
  /** USD per month. Negative if the change saves money. */
  readonly usd: number;
  /** Whether the real cost can be lower. */
  readonly isAtMost: boolean;
  /** Measured cold starts, and the number of days in which they happened. */
  readonly coldStarts: number;
  readonly days: number;
}

/** Settings of the endpoint. */
export interface StartSettings {
  readonly flashboot: string;
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** In seconds. Undefined if the endpoint does not use it. */
  readonly idleTimeout: number | undefined;
  readonly hasGpus: boolean;
}

/** Measurements of the endpoint in a period. */
export interface StartMetrics {
  readonly days: number;
  readonly coldStarts: number;
  /** Short buckets of its last days. Undefined if there are none. */
  readonly recent?:
    | {
        readonly days: number;
        /** Length of a bucket in seconds. */
        readonly step: number;
        readonly points: readonly Pick<MetricsPoint, 'at' | 'arrivals' | 'coldStart'>[];
      }
    | undefined;
}

export interface StartFacts {
  readonly start: WorkerStartTrace;
  readonly settings: StartSettings;
  /** Undefined if they are not known. No proposal has a cost then. */
  readonly metrics: StartMetrics | undefined;
  /** Price of a worker in USD per hour. Undefined if it is not known. */
  readonly usdPerHour: number | undefined;
}

/** Shortest saving that is worth a proposal: in seconds, and as a part of the cold start. */
const LEAST_SECONDS = 0.2;
const LEAST_SHARE = 0.1;
const MAX_IMPORTS = 3;
const DAYS_PER_MONTH = 30;
const HOURS_PER_DAY = 24;
const SECONDS_PER_HOUR = 3_600;
/** A layer that invalidates a large one is at most this part of its size. */
const SMALL_LAYER = 0.1;
/** Idle timeouts to choose from, in seconds. */
const TIMEOUTS = [30, 60, 300, 600, 1_800, 3_600];

/** Returns what would shorten or avoid the cold start, the largest savings first. Empty if the start has not ended. */
export function coldStartProposals(facts: StartFacts): Proposal[] {
  const cold = facts.start.spans.find(({ kind }) => kind === 'coldStart');
  const seconds = cold && secondsOf(cold);
  if (seconds === undefined || seconds <= 0 || facts.start.readyAt === undefined) return [];
  const least = Math.max(LEAST_SECONDS, seconds * LEAST_SHARE);
  const shorter = [...imports(facts), ...layers(facts)].filter((proposal) => proposal.seconds >= least);
  const avoided = seconds < LEAST_SECONDS ? [] : avoiding(facts, seconds);
  return [...shorter.sort((one, other) => other.seconds - one.seconds), ...avoided];
}

const secondsOf = ({ start, end }: Pick<TraceSpan, 'start' | 'end'>): number | undefined =>
  end === undefined ? undefined : (millisecondsOf(end) - millisecondsOf(start)) / 1_000;

function imports({ start, metrics, usdPerHour }: StartFacts): Proposal[] {
  return start.spans
    .flatMap((span): Proposal[] => {
      const { kind, depth, name: module } = span;
      const seconds = secondsOf(span);
      if (kind !== 'importing' || depth !== 0 || module === undefined || seconds === undefined) return [];
      // The process is charged while it loads.
      return [{ code: 'importLazily', module, seconds, cost: costOf(metrics, usdPerHour, { perStart: -seconds }) }];
    })
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, MAX_IMPORTS);
}

/** @param spent seconds for which a worker is charged: for each cold start, or for each day */
function costOf(
  metrics: Pick<StartMetrics, 'days' | 'coldStarts'> | undefined,
  usdPerHour: number | undefined,
  spent: { readonly perStart: number } | { readonly perDay: number },
): MonthlyCost | undefined {
  if (!metrics || usdPerHour === undefined || metrics.coldStarts === 0) return undefined;
  const { coldStarts, days } = metrics;
  const perDay = 'perDay' in spent ? spent.perDay : (spent.perStart * coldStarts) / days;
  return {
    usd: (perDay * DAYS_PER_MONTH * usdPerHour) / SECONDS_PER_HOUR,
    isAtMost: false,
    ...{ coldStarts, days },
  };
}

/** A pull is not charged, so a faster one has no cost. */
function layers({ start: { spans } }: StartFacts): Proposal[] {
  const all = spans.filter(({ kind, name }) => kind === 'pullingLayer' && name !== undefined);
  const pulled = all.filter(({ isPresent }) => isPresent !== true);
  const [largest] = pulled.toSorted((one, other) => aloneOf(other, pulled) - aloneOf(one, pulled));
  if (!largest) return [];
  const { name: layer = '', bytes } = largest;
  const seconds = aloneOf(largest, pulled);
  const first = pulled.toSorted((one, other) => millisecondsOf(one.start) - millisecondsOf(other.start))[0];
  const isMovable =
    all.length > pulled.length &&
    first !== undefined &&
    first !== largest &&
    bytes !== undefined &&
    first.bytes !== undefined &&
    first.bytes <= bytes * SMALL_LAYER;
  return [
    isMovable
      ? { code: 'moveLayerUp', layer, before: first.name ?? '', seconds }
      : { code: 'shrinkLayer', layer, bytes, seconds },
  ];
}

/** Returns the time in which only this layer was being pulled, in seconds. Less would not shorten the pull for certain. */
function aloneOf(layer: TraceSpan, pulled: readonly TraceSpan[]): number {
  const [from, to] = [millisecondsOf(layer.start), millisecondsOf(layer.end ?? layer.start)];
  let [alone, reached] = [0, from];
  const others = pulled
    .filter((other) => other !== layer)
    .map(({ start, end = start }) => [millisecondsOf(start), millisecondsOf(end)] as const)
    .sort(([one], [other]) => one - other);
  for (const [start, end] of others) {
    alone += Math.max(Math.min(start, to) - reached, 0);
    reached = Math.max(reached, end);
  }
  return (alone + Math.max(to - reached, 0)) / 1_000;
}

function avoiding({ settings, metrics, usdPerHour }: StartFacts, seconds: number): Proposal[] {
  const { flashboot, minWorkers, maxWorkers, idleTimeout, hasGpus } = settings;
  const proposals: Proposal[] = [];
  // A worker with GPUs keeps its memory on the GPU, so it cannot be put on standby.
  if (flashboot === 'OFF' && !hasGpus) proposals.push({ code: 'flashboot', seconds });
  const longer = minWorkers === 0 ? longerTimeout(idleTimeout, metrics) : undefined;
  if (longer) {
    const { timeout, avoided, idlePerDay, basis } = longer;
    const cost = costOf(basis, usdPerHour, { perDay: idlePerDay });
    proposals.push({ code: 'idleTimeout', timeout, avoided, seconds, cost: cost && { ...cost, isAtMost: true } });
  }
  if (minWorkers === 0 && maxWorkers > 0 && metrics && metrics.coldStarts > 0) {
    const cost = costOf(metrics, usdPerHour, { perDay: HOURS_PER_DAY * SECONDS_PER_HOUR });
    proposals.push({ code: 'minWorkers', seconds, cost: cost && { ...cost, isAtMost: true } });
  }
  return proposals;
}

/**
 * Returns the shortest timeout that avoids at least half of the cold starts after a pause. A pause is the time between two buckets with
 * arrivals, so it is known to the length of a bucket. The worker is charged until the timeout, at most once in each pause.
 */
function longerTimeout(timeout: number | undefined, metrics: StartMetrics | undefined) {
  if (timeout === undefined || !metrics?.recent) return undefined;
  const { points, step, days } = metrics.recent;
  const coldStarts = points.reduce((sum, { coldStart }) => sum + (coldStart?.count ?? 0), 0);
  const pauses: number[] = [];
  const coldPauses: number[] = [];
  let last: number | undefined;
  for (const { at, arrivals = 0, coldStart } of points) {
    if (arrivals === 0) continue;
    const time = millisecondsOf(at) / 1_000;
    // The longest time that can have passed.
    const pause = last === undefined ? undefined : time - last + step;
    last = time;
    if (pause === undefined || pause <= timeout + step) continue;
    pauses.push(pause);
    if (coldStart) coldPauses.push(pause);
  }
  const found = TIMEOUTS.find(
    (one) => one > timeout && coldPauses.length > 0 && 2 * count(coldPauses, one) >= coldPauses.length,
  );
  if (found === undefined) return undefined;
  const idle = pauses.reduce((sum, pause) => sum + Math.min(pause, found) - timeout, 0);
  return { timeout: found, avoided: count(coldPauses, found), idlePerDay: idle / days, basis: { coldStarts, days } };
}

const count = (pauses: readonly number[], timeout: number): number => pauses.filter((pause) => pause <= timeout).length;
