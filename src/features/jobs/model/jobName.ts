import path from 'node:path';
import { JOB_FILE_SUFFIX } from '../../../contract/jobFile.ts';
import type { StoredJob } from './storedJob.ts';

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
