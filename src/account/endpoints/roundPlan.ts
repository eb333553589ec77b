/* Schedules reads: fast for expanded endpoints that change, slow for other expanded endpoints, and in batches for collapsed endpoints. */

export const FAST_MS = 1_000;
export const SLOW_MS = 10_000;
/** Maximum age of a collapsed endpoint's state, in ms. Its row shows the state too. */
const COLLAPSED_MS = 30_000;
/** Maximum number of collapsed endpoints in one round, and the pause before the next batch, in ms. */
const COLLAPSED_BATCH_SIZE = 20;
const BACKLOG_MS = 2_000;

/** State of an endpoint that decides when it is read. Times are in ms since the epoch. */
export interface Readable {
  readonly id: string;
  readonly expanded: boolean;
  readonly changing: boolean;
  /** Undefined if the endpoint has not been read. */
  readonly readAt: number | undefined;
}

export interface RoundState {
  readonly endpoints: readonly Readable[];
  readonly listedAt: number | undefined;
  /** Whether a user action was recent. Expanded endpoints and the list are then read fast, even if nothing changes. */
  readonly alert: boolean;
  /** Whether the rate limit is nearly used up. Collapsed endpoints are then not read. */
  readonly sparing: boolean;
}

export interface RoundPlan {
  /** Whether to read the list of endpoints. */
  readonly list: boolean;
  /** IDs of the endpoints to read. */
  readonly ids: readonly string[];
}

/** Tolerance for timers that fire early, in ms. */
const TIMER_TOLERANCE_MS = 50;

function age(readAt: number | undefined, now: number): number {
  return readAt === undefined ? Number.POSITIVE_INFINITY : now - readAt + TIMER_TOLERANCE_MS;
}

function isFast({ expanded, changing }: Readable, alert: boolean): boolean {
  return expanded && (changing || alert);
}

/** Returns the reads of a round that starts now. */
export function planRound({ endpoints, listedAt, alert, sparing }: RoundState, now: number): RoundPlan {
  const expanded = endpoints.filter((one) => {
    const due = isFast(one, alert) ? FAST_MS : SLOW_MS;
    return one.expanded && age(one.readAt, now) >= due;
  });
  const collapsed = sparing
    ? []
    : endpoints
        .filter((one) => !one.expanded && age(one.readAt, now) >= COLLAPSED_MS)
        .sort((a, b) => age(b.readAt, now) - age(a.readAt, now) || 0)
        .slice(0, COLLAPSED_BATCH_SIZE);
  return {
    list: age(listedAt, now) >= (alert ? FAST_MS : SLOW_MS),
    ids: [...expanded, ...collapsed].map(({ id }) => id),
  };
}

/** Returns the time until the next round, in ms. */
export function pauseAfter({ endpoints, alert, sparing }: RoundState, now: number): number {
  if (alert || endpoints.some((one) => isFast(one, alert))) return FAST_MS;
  const hasBacklog = endpoints.some((one) => !one.expanded && age(one.readAt, now) >= COLLAPSED_MS);
  return hasBacklog && !sparing ? BACKLOG_MS : SLOW_MS;
}

/** Returns the backoff after consecutive failures, in ms. */
export function pauseAfterFailure(failures: number): number {
  return Math.min(SLOW_MS * 2 ** (failures - 1), 60_000);
}

const SPARE_SHARE = 0.25;

/** Returns whether less than a quarter of a rate limit window is left. */
export function isRunningOut(
  windows: Iterable<{ readonly remaining?: number; readonly quota?: number; readonly resetsAt?: number }>,
  now: number,
): boolean {
  return [...windows].some(
    ({ remaining, quota, resetsAt }) =>
      remaining !== undefined &&
      quota !== undefined &&
      remaining < quota * SPARE_SHARE &&
      (resetsAt === undefined || resetsAt > now),
  );
}
