/* Warnings about a monthly budget. */

/** Shares of the budget that cause a warning, in percent, highest first. */
const THRESHOLDS = [100, 80, 50] as const;

/** The last warning of an account. */
export interface LastWarning {
  /** The month, such as `2026-03`. */
  readonly monthName: string;
  /** The budget in USD that it was about. */
  readonly budget: number;
  readonly threshold: number;
}

interface Spent {
  readonly month: number;
  readonly monthName: string;
}

/** Returns the share of the budget that is spent, in whole percent, rounded down so that 99.9 % does not read as 100 %. */
export function percentSpent(month: number, budget: number): number {
  // Sums of amounts have rounding errors of far less than a millionth of a percent.
  return Math.floor((month / budget) * 100 + 1e-9);
}

/**
 * Returns the warning that is due: the highest threshold that the spend has reached, unless it or a higher one was reported in this month for
 * the same budget. Undefined if no warning is due.
 *
 * @param budget in USD, more than 0
 */
export function dueWarning(
  { month, monthName }: Spent,
  budget: number,
  last: LastWarning | undefined,
): LastWarning | undefined {
  const threshold = THRESHOLDS.find((one) => percentSpent(month, budget) >= one);
  if (threshold === undefined) return undefined;
  const isReported = last?.monthName === monthName && last.budget === budget && last.threshold >= threshold;
  return isReported ? undefined : { monthName, budget, threshold };
}

/** Reads a budget that a person typed, such as `50`, `$49.90`, or `1,200`. Empty text is 0, which means no budget. Undefined: not a budget. */
export function parseBudget(text: string): number | undefined {
  const plain = text.trim().replace(/^\$\s*/, '');
  if (plain === '') return 0;
  return /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d{1,2})?$/.test(plain) ? Number(plain.replaceAll(',', '')) : undefined;
}
