/** How many workers an endpoint may have. */
export interface WorkerRange {
  readonly min: number;
  readonly max: number;
}

/** `0-3`, as it is typed. */
export function rangeText({ min, max }: WorkerRange): string {
  return `${min}-${max}`;
}

/** Reads `min-max`, separated by `-`, `–`, `to`, `,`, or a space. Returns a message when the text is invalid. */
export function parseRange(text: string): WorkerRange | string {
  const match = /^(\d+)(?: ?(?:-|–|to|,) ?| )(\d+)$/i.exec(text.trim().replace(/\s+/g, ' '));
  if (!match) return 'Enter the minimum and maximum number of workers, such as 0-3';
  const [min, max] = [Number(match[1]), Number(match[2])];
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return 'That is too many';
  return min > max ? `The least (${min}) is more than the most (${max})` : { min, max };
}

/** What a range means, while it is typed. */
export function rangeWords({ min, max }: WorkerRange): string {
  if (max === 0) return 'Paused: no worker is started, and jobs wait.';
  if (min === 0) return `No worker when there is nothing to do, up to ${max} when there is.`;
  return `${min} always up, which costs also when idle; up to ${max} when there is more to do.`;
}
