import path from 'node:path';
import * as z from 'zod';
import { isTerminal, type Job } from '../../../contract/job.ts';
import { JOB_FILE_SUFFIX } from '../../../contract/jobFile.ts';

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
  /** Whether the platform no longer has the job. */
  gone: z.boolean().optional(),
  /** Reason why this machine does not store the request. */
  notStored: z.enum(['tooLarge', 'secret', 'submittedElsewhere']).optional().catch(undefined),
});
/** A job that this editor submitted. Its input and output are not part of it, because they can be private. */
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
