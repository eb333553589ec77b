import type { SystemLine } from '../../contract/systemLines.ts';

/** Progress of a start before the process exists. */
export interface StartProgress {
  readonly kind: 'pulling';
  /** 0 to 100. Omitted if it is unknown. */
  readonly percent?: number | undefined;
}

/** Difference in percent between two log lines about the same pull. */
const PROGRESS_STEP = 10;

/** Returns the line of the worker's log for this progress, rounded down to a step. */
export function progressLine({ percent }: StartProgress): SystemLine {
  if (percent === undefined) return { kind: 'pulling' };
  return { kind: 'pullingPercent', percent: Math.floor(percent / PROGRESS_STEP) * PROGRESS_STEP };
}
