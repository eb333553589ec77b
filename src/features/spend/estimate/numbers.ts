/* Numbers in the questions and the report of an estimate. */

/** Maximum time of a job that the question accepts: a week. */
const MAX_SECONDS = 604_800;
const MAX_JOBS = 1_000_000_000;
/** Maximum length of a typed time, in UTF-16 code units. */
const LONGEST = 40;

/** Reads a time in seconds, such as `1.5`, `90 s`, or `1,200`. Undefined: not a time. */
export function parseSeconds(text: string): number | undefined {
  const seconds = text.length > LONGEST ? undefined : parseNumber(text.trim().replace(/\s*(?:s|seconds?)$/i, ''));
  return seconds !== undefined && seconds > 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}

/** Reads a number of jobs, such as `1000`, `1,000`, or `0.5` for one job every two days. Undefined: not a number of jobs. */
export function parseJobs(text: string): number | undefined {
  const jobs = parseNumber(text.trim());
  return jobs !== undefined && jobs > 0 && jobs <= MAX_JOBS ? jobs : undefined;
}

function parseNumber(text: string): number | undefined {
  return /^(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?$/.test(text) && text !== ''
    ? Number(text.replaceAll(',', ''))
    : undefined;
}

/** Formats a number with at most three significant digits after a leading zero, and grouped thousands: `0.0123`, `1.5`, `12,345`. */
export function number(value: number): string {
  const maximumFractionDigits = value < 1 ? 4 : value < 100 ? 2 : 0;
  return new Intl.NumberFormat('en-US', { maximumFractionDigits }).format(value);
}
