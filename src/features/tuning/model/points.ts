import type { SimulationResult } from '../../../contract/launch/simulation.ts';
import { preciseDuration } from '../../../text/quantities.ts';
import { PRESENT, type Candidate } from './candidates.ts';

/* The simulated cost and wait of each setting, and the ones that no other setting beats. */

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** Smaller differences of the cost of a month are no difference for a reader. */
export const SAME_USD = 0.005;

/** A setting with its result. */
export interface Point {
  readonly candidate: Candidate;
  /** Cost of 30 days in which the load repeats, in USD. */
  readonly usdPerMonth: number;
  /** 95th percentile of the time that a job waits for a worker, in ms. */
  readonly waitMs: number;
  readonly result: SimulationResult;
}

/** Returns the points of settings that complete at least the jobs of the present ones. The present settings always count. */
export function pointsOf(
  candidates: readonly Candidate[],
  results: ReadonlyMap<string, SimulationResult>,
  durationMs: number,
): readonly Point[] {
  const completed = results.get(PRESENT)?.completed ?? 0;
  return candidates.flatMap((candidate) => {
    const result = results.get(candidate.id);
    const waitMs = result?.waitMs.p95;
    if (!result || waitMs == null || (result.completed < completed && candidate.id !== PRESENT)) return [];
    return [{ candidate, usdPerMonth: costOfMonth(candidate, result.usd, durationMs), waitMs, result }];
  });
}

/** Returns the cost of 30 days. After a load that the workers cannot keep up with, they work longer than it lasts, but never more than all days. */
function costOfMonth({ settings, hardware }: Candidate, usd: number, durationMs: number): number {
  const most = (settings.max * hardware.usdPerHour * MONTH_MS) / HOUR_MS;
  return Math.min((usd * MONTH_MS) / durationMs, most);
}

/** Returns the points that no other one beats in both cost and wait, the cheapest first. */
export function frontierOf(points: readonly Point[]): readonly Point[] {
  const frontier: Point[] = [];
  for (const point of points.toSorted(byCost)) {
    const before = frontier.at(-1);
    if (!before || point.waitMs < before.waitMs) frontier.push(point);
  }
  return frontier;
}

/** Equal costs and waits prefer the present settings, and then the fewest workers. */
function byCost(one: Point, other: Point): number {
  return (
    one.usdPerMonth - other.usdPerMonth ||
    one.waitMs - other.waitMs ||
    Number(other.candidate.id === PRESENT) - Number(one.candidate.id === PRESENT) ||
    one.candidate.settings.max - other.candidate.settings.max
  );
}

/** Settings that answer a question. Undefined: no setting does better than the present ones. */
export interface Proposals {
  /** The cheapest one that waits no longer than the present settings, as far as a reader sees. */
  readonly cheapest: Point | undefined;
  /** The one with the shortest wait that costs no more than the present settings. */
  readonly fastest: Point | undefined;
  /** The cheapest one under the target. */
  readonly target: Point | undefined;
}

export interface ProposalGoals {
  /** Longest 95th percentile of the wait, in ms. */
  readonly targetWaitMs?: number | undefined;
  /** Highest cost of a month, in USD. */
  readonly budget?: number | undefined;
}

/** Returns the proposals, which are points of the frontier. */
export function proposalsOf(
  frontier: readonly Point[],
  present: Point | undefined,
  { targetWaitMs, budget }: ProposalGoals = {},
): Proposals {
  const affordable = budget === undefined ? frontier : frontier.filter(({ usdPerMonth }) => usdPerMonth <= budget);
  const other = (point: Point | undefined) => (point?.candidate.id === PRESENT ? undefined : point);
  return {
    cheapest:
      present && other(affordable.find(({ waitMs }) => waitMs <= present.waitMs || isSameWait(waitMs, present))),
    fastest: present && other(affordable.findLast(({ usdPerMonth }) => usdPerMonth <= present.usdPerMonth + SAME_USD)),
    target: targetWaitMs === undefined ? undefined : affordable.find(({ waitMs }) => waitMs <= targetWaitMs),
  };
}

/** Returns whether a reader sees no difference between two waits. */
function isSameWait(waitMs: number, other: Point): boolean {
  return preciseDuration(waitMs) === preciseDuration(other.waitMs);
}
