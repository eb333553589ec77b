import { isTerminal, type Job } from '../../contract/job.ts';
import { readJobLife } from '../../features/jobs/actions/readJobLife.ts';
import { readJobLog } from '../../features/jobs/actions/readJobLog.ts';
import type { SubmitServices } from '../../features/jobs/actions/submitJob.ts';
import { timelineData } from '../../features/jobs/model/timeline/jobWaterfall.ts';
import type { StoredJob } from '../../features/jobs/model/storedJob.ts';
import { parseWorkerError } from '../../contract/workerError.ts';
import { FOREIGN, type CallContext, type ToolConnection } from './agentTool.ts';
import { newestThatFit } from './readLogLines.ts';

/** Number of the last log lines of a job in its result. */
const MAX_LOG_LINES = 50;

/** Returns the record of the jobs of a connection. */
export function jobRecord({ client, jobs }: ToolConnection, { clock }: Pick<CallContext, 'clock'>): SubmitServices {
  return { client, clock, ...jobs };
}

/** Returns the state of a job for a model. */
export function jobResult({ id, status, delayTime, executionTime, workerId, output, error }: Job): object {
  const isFinished = isTerminal(status);
  return {
    id,
    status,
    isFinished,
    ...(delayTime !== undefined && { queueMs: delayTime }),
    ...(executionTime !== undefined && { executionMs: executionTime }),
    ...(workerId !== undefined && { workerId }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { jobError: parseWorkerError(error) ?? error }),
    note: FOREIGN,
    ...(!isFinished && {
      next: 'The job continues. Read it with read_job, and use read_endpoints with its endpoint if it stays in the queue.',
    }),
  };
}

/** Returns the last lines that a job wrote. Empty if no worker took it or if its log is gone, because the state matters more. */
export async function jobLog(
  stored: StoredJob | undefined,
  job: Job,
  context: CallContext,
): Promise<readonly string[]> {
  const { signal, clock } = context;
  const { workerId } = job;
  if (!stored || workerId === undefined) return [];
  try {
    const { client } = context.connection();
    const found = await readJobLog(client, { ...stored, workerId }, clock.now(), signal);
    // Reading ends early after a cancellation, so lines can be missing.
    signal.throwIfAborted();
    const lines = found.lines.slice(-MAX_LOG_LINES).map((event) => ({ ...event, workerId }));
    return newestThatFit(lines).lines;
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/** Returns what the time of a job was spent on, as the platform recorded it or else as the job tells. @throws ApiError */
export async function jobTimeline(
  stored: StoredJob | undefined,
  job: Job,
  endpointId: string,
  { connection, signal }: Pick<CallContext, 'connection' | 'signal'>,
): Promise<object> {
  const { client, isLocal } = connection();
  const submittedAt =
    stored?.notStored === 'submittedElsewhere' ? undefined : (stored?.answeredAt ?? stored?.submittedAt);
  return timelineData(await readJobLife({ client, isLocal, job: { ...job, endpointId, submittedAt }, signal }));
}

/** Returns whether the log of a job explains its end. */
export function needsLog({ status }: Pick<Job, 'status'>): boolean {
  return status === 'FAILED' || status === 'TIMED_OUT';
}
