import { isTerminal, type Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';

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
export function isUnfinished({ status, gone }: StoredJob): boolean {
  return !isTerminal(status) && gone !== true;
}
