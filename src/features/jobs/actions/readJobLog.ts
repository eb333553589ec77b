import * as z from 'zod';
import type { Client } from '../../../client/client.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import { isTerminal } from '../../../contract/job.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import type { StoredJob } from '../model/storedJob.ts';

/** Number of the last lines of a worker that are searched first. It is the maximum of the platform. */
const LAST_LINES = 5_000;
/** Maximum number of lines that were written while the job ran. */
export const MAX_SEARCHED_LINES = 100_000;
/** Possible difference between the clocks of this machine and of the platform, in ms. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Reads the end of a worker's log, or the part from the time of a job, and returns the lines of the job. @throws ApiError; of kind `notFound` if the log is gone */
export async function readJobLog(
  client: Client,
  job: StoredJob & { readonly workerId: string },
  now: number,
  signal?: AbortSignal,
): Promise<JobLogLines> {
  const { readWorkerLogTail } = await import('../../../client/workerLogTail.ts');
  const { endpointId: id, workerId } = job;
  const options = { id, workerId, ...(signal && { signal }) };
  const found = linesOfJob(await readWorkerLogTail(client.context, { ...options, tail: LAST_LINES }), job, now);
  const window = jobWindow(job, now);
  if (!found.startsLate || !window) return found;
  const between = { from: window.from - CLOCK_DIFFERENCE_MS, to: window.to + CLOCK_DIFFERENCE_MS };
  const events = await readWorkerLogTail(client.context, { ...options, tail: MAX_SEARCHED_LINES, between });
  return events.length === 0 ? found : linesOfJob(events, job, now);
}

/** Times in ms since the epoch. */
interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export interface JobLogLines {
  /** Oldest first. */
  readonly lines: readonly LogEvent[];
  /** Whether a line contains the ID of the job. Otherwise, the lines were found by their times only. */
  readonly byId: boolean;
  /** Whether the log starts after the start of the job, so that lines can be missing. */
  readonly startsLate: boolean;
}

/** Tolerance for the difference between the clocks of the editor and the platform, in ms. */
const TOLERANCE_MS = 250;

/**
 * Returns the lines of a worker's log that belong to a job: lines with its ID, and lines from its run time that do not have the ID of
 * another job. A worker can run several jobs at once, so lines without an ID can belong to another job.
 */
export function linesOfJob(events: readonly LogEvent[], job: StoredJob, now: number): JobLogLines {
  const owners = events.map(({ line }) => ownerOf(line, job.id));
  const own = events.filter((_, index) => owners[index] === 'own').map(timeOf);
  const span = spanOf([...own, ...edgesOf(jobWindow(job, now))]);
  const lines = events.filter((event, index) => {
    if (owners[index] !== 'none') return owners[index] === 'own';
    const time = timeOf(event);
    return span !== undefined && time >= span.from && time <= span.to;
  });
  const first = events.map(timeOf).find((time) => !Number.isNaN(time));
  return {
    lines,
    byId: own.length > 0,
    startsLate: span !== undefined && first !== undefined && first > span.from + 2 * TOLERANCE_MS,
  };
}

/** Returns the time during which a worker can have run a job. Undefined if it is not known or no worker has taken the job. */
export function jobWindow(job: StoredJob, now: number): TimeWindow | undefined {
  const { status, submittedAt, answeredAt = submittedAt, delayTime, executionTime, endedAt } = job;
  if (status === 'IN_QUEUE') return undefined;
  const from = submittedAt + (delayTime ?? 0);
  const ran = delayTime === undefined || executionTime === undefined ? undefined : delayTime + executionTime;
  const ended = ran === undefined ? endedAt : Math.min(answeredAt + ran, endedAt ?? Infinity);
  const to = ended ?? (isTerminal(status) ? undefined : now);
  return to === undefined ? undefined : { from, to };
}

function edgesOf(window: TimeWindow | undefined): number[] {
  return window ? [window.from - TOLERANCE_MS, window.to + TOLERANCE_MS] : [];
}

function spanOf(times: readonly number[]): TimeWindow | undefined {
  const valid = times.filter((time) => !Number.isNaN(time));
  return valid.length === 0 ? undefined : { from: Math.min(...valid), to: Math.max(...valid) };
}

function timeOf({ ts }: LogEvent): number {
  return Date.parse(ts);
}

/** A line that the worker SDK writes. `requestId` is the ID of a job. */
const SdkLine = z.looseObject({ requestId: z.string() });

function ownerOf(line: string, jobId: string): 'own' | 'other' | 'none' {
  if (containsWord(line, jobId)) return 'own';
  if (!line.startsWith('{') || !line.includes('"requestId"')) return 'none';
  return SdkLine.safeParse(parseJson(line)).success ? 'other' : 'none';
}

/** Returns whether a text contains a word, such that `job-10` does not contain `job-1`. */
function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + word.length)];
    if (!isWordCharacter(before) && !isWordCharacter(after)) return true;
  }
  return false;
}

function isWordCharacter(character: string): boolean {
  return /^[\w-]$/.test(character);
}
