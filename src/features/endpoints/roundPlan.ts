/* When what is read again: fast what changes under somebody's eyes, slowly the rest, little by little what nobody looks at. */

export const FAST_MS = 1_000;
export const SLOW_MS = 10_000;
/** Collapsed endpoints show a state too; it may be older. */
const COLLAPSED_MS = 30_000;
/** Collapsed endpoints read in one round, and the pause until the next few. */
const COLLAPSED_AT_ONCE = 20;
const BACKLOG_MS = 2_000;

/** What is known of an endpoint's own reading. Times are milliseconds since the epoch. */
export interface Readable {
  readonly id: string;
  readonly expanded: boolean;
  readonly changing: boolean;
  /** Undefined: never. */
  readonly readAt: number | undefined;
}

export interface RoundState {
  readonly endpoints: readonly Readable[];
  readonly listedAt: number | undefined;
  /** Something was just asked for: it is watched closely even if nothing seems to move. */
  readonly alert: boolean;
  /** The quota is running out: what nobody looks at waits. */
  readonly sparing: boolean;
}

export interface RoundPlan {
  /** Read the list of endpoints. */
  readonly list: boolean;
  /** Read the workers of these. */
  readonly ids: readonly string[];
}

/** Timers wake a little early. */
const SLACK_MS = 50;

function age(readAt: number | undefined, now: number): number {
  return readAt === undefined ? Number.POSITIVE_INFINITY : now - readAt + SLACK_MS;
}

function isFast({ expanded, changing }: Readable, alert: boolean): boolean {
  return expanded && (changing || alert);
}

/** What a round begun now reads. */
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
        .slice(0, COLLAPSED_AT_ONCE);
  return {
    list: age(listedAt, now) >= (alert ? FAST_MS : SLOW_MS),
    ids: [...expanded, ...collapsed].map(({ id }) => id),
  };
}

/** Milliseconds until the next round. */
export function pauseAfter({ endpoints, alert, sparing }: RoundState, now: number): number {
  if (alert || endpoints.some((one) => isFast(one, alert))) return FAST_MS;
  const hasBacklog = endpoints.some((one) => !one.expanded && age(one.readAt, now) >= COLLAPSED_MS);
  return hasBacklog && !sparing ? BACKLOG_MS : SLOW_MS;
}

/** Milliseconds to leave a service alone that failed so many times in a row. */
export function pauseAfterFailure(failures: number): number {
  return Math.min(SLOW_MS * 2 ** (failures - 1), 60_000);
}

const SPARE_SHARE = 0.25;

/** Whether a window of the rate limit has less than a quarter left. */
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
