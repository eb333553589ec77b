import path from 'node:path';
import * as z from 'zod';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { JOB_FILE_SUFFIX } from '../../../contract/jobFile.ts';
import { oneLine } from '../../../account/jobWords.ts';
import { isSecret } from '../../../text/secretText.ts';

export const StoredJob = z.object({
  id: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  /** Time at which the submission was sent, in ms since the epoch. */
  submittedAt: z.number(),
  /**
   * Time at which the response to the submission arrived, in ms since the epoch. The platform accepted the job between the two times.
   */
  answeredAt: z.number().optional(),
  status: z.string(),
  /** Time in the queue and execution time, in ms. */
  delayTime: z.number().optional(),
  executionTime: z.number().optional(),
  workerId: z.string().optional(),
  /** Time at which this editor saw the end of the job, in ms since the epoch. */
  endedAt: z.number().optional(),
  /** Price of one worker in USD per hour: that of the job's worker, or the highest one that its endpoint allows. */
  pricePerHour: z.number().optional(),
  /** Whether the price is that of the job's worker. */
  isWorkerPrice: z.boolean().optional(),
  /** Address of the job file. */
  file: z.string().optional(),
  /** First value of the input, cut to a short line. Undefined for a request that may contain a secret. */
  firstValue: z.string().optional(),
  /** Whether the platform no longer has the job. */
  gone: z.boolean().optional(),
  /** Reason why this machine does not store the request. */
  notStored: z.enum(['tooLarge', 'secret', 'submittedElsewhere']).optional().catch(undefined),
});
/** A job that this editor submitted. Its output and the rest of its input are not part of it, because they can be private. */
export type StoredJob = z.infer<typeof StoredJob>;

/** Returns the history entry of a job with a state that the platform reported at `now`, in ms since the epoch. */
export function withState(stored: StoredJob, state: Job, now: number): StoredJob {
  const { delayTime: _, executionTime: __, workerId: ___, endedAt: before, gone: ____, ...submission } = stored;
  const { status, delayTime, executionTime, workerId } = state;
  const endedAt = isTerminal(status) ? (before ?? now) : undefined;
  return {
    ...submission,
    status,
    ...(delayTime !== undefined && { delayTime }),
    ...(executionTime !== undefined && { executionTime }),
    ...(workerId !== undefined && { workerId }),
    ...(endedAt !== undefined && { endedAt }),
  };
}

/** Returns whether the platform can still change the state of a job. */
export function isUnfinished({ status, gone }: Pick<StoredJob, 'status' | 'gone'>): boolean {
  return !isTerminal(status) && gone !== true;
}

/** Returns the name of the file that a job was sent from, without its suffix. */
export function fileOfJob({ file }: Pick<StoredJob, 'file'>): string | undefined {
  const url = file === undefined ? undefined : URL.parse(file);
  if (!url) return undefined;
  const name = path.posix.basename(url.pathname, JOB_FILE_SUFFIX);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Returns the name of a job: its file or its endpoint, and the time of its submission, such as `hello · 18:53`. The time has seconds if an
 * earlier job has the same name.
 *
 * @param all all known jobs
 */
export function jobName(job: StoredJob, all: readonly StoredJob[]): string {
  const isTaken = all.some(
    (other) => other.id !== job.id && other.submittedAt <= job.submittedAt && minuteName(other) === minuteName(job),
  );
  if (!isTaken) return minuteName(job);
  return `${minuteName(job)}:${twoDigits(new Date(job.submittedAt).getSeconds())}`;
}

function minuteName(job: StoredJob): string {
  const submitted = new Date(job.submittedAt);
  return `${fileOfJob(job) ?? job.endpointName} · ${twoDigits(submitted.getHours())}:${twoDigits(submitted.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Maximum length of the value, in UTF-16 code units. */
const LONGEST = 40;
/** Maximum number of nested values that are examined. */
const MAX_VALUES = 100;

/**
 * Returns the first value of a job's input in one short line, which distinguishes jobs. Skips secrets, empty texts, null, and encoded files.
 * Undefined if there is no other value.
 */
export function firstValue(input: unknown): string | undefined {
  let left = MAX_VALUES;
  const find = (name: string, value: unknown): string | undefined => {
    if (left-- <= 0) return undefined;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value === 'string')
      return isEncoded(value) || isSecret(name, value) ? undefined : oneLine(value, LONGEST) || undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [member, content] of Object.entries(value)) {
      const found = find(Array.isArray(value) ? name : member, content);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find('', input);
}

/** Returns whether a text is a data URL, or a long word such as Base64. */
function isEncoded(text: string): boolean {
  return /^data:/i.test(text) || /^[\w+/=-]{200}/.test(text);
}
