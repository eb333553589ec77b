import * as l10n from '@vscode/l10n';
import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import type { Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { JobFollower } from './jobFollower.ts';
import type { JobHistoryStore } from './jobHistoryStore.ts';

/** The services that act on single jobs of one connection, with or without an editor. */
export interface JobRecord {
  /** Client of the connection. */
  readonly client: Client;
  readonly connectionId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly history: Pick<JobHistoryStore, 'find' | 'put' | 'recent'>;
  readonly follower: Pick<JobFollower, 'seen' | 'wait'>;
}

/** Maximum number of jobs that are read, canceled, or submitted at the same time. */
const MAX_AT_ONCE = 6;

/** An action that failed for one of several jobs. */
export interface JobFailure<Of = StoredJob> {
  readonly job: Of;
  readonly error: ApiError;
}

/**
 * Reads the current state of a job, records it, and follows the job if it has not ended.
 *
 * @throws ApiError; of kind `notFound` after marking the job as gone
 */
export async function readJob(job: StoredJob, services: JobRecord): Promise<Job> {
  const { client, connectionId, follower } = services;
  const state = await orMarkGone(job, services, client.getJobStatus({ endpointId: job.endpointId, jobId: job.id }));
  await follower.seen(connectionId, job, state);
  return state;
}

/** A job that may have been submitted elsewhere. */
export interface NamedJob {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly jobId: string;
}

/** Reads a job by its ID and adds it to the history. @throws ApiError; of kind `notFound` if the platform does not have the job */
export async function checkJobStatus({ endpointId, endpointName, jobId }: NamedJob, services: JobRecord): Promise<Job> {
  const { client, connectionId, clock, history, follower } = services;
  const known = history.find(connectionId, jobId);
  if (known) return readJob(known, services);
  const state = await client.getJobStatus({ endpointId, jobId });
  const job: StoredJob = {
    ...{ id: jobId, endpointId, endpointName, submittedAt: clock.now(), status: state.status },
    notStored: 'submittedElsewhere',
  };
  await follower.seen(connectionId, job, state);
  return state;
}

/** Returns the problem with a typed job ID, or undefined for a valid one. */
export function jobIdProblem(text: string): string | undefined {
  const id = text.trim();
  if (id === '') return l10n.t('Enter the ID of a job');
  if (id.includes('/')) return l10n.t('Enter only the ID, without a slash');
  if (/\s/.test(id)) return l10n.t('A job ID cannot contain spaces');
  if (/^\.+$/.test(id)) return l10n.t('This is not the ID of a job');
  return undefined;
}

/** Reads several jobs. Returns the failures, without those of jobs that no longer exist, which are marked as gone. */
export function rereadJobs(jobs: readonly StoredJob[], services: JobRecord): Promise<readonly JobFailure[]> {
  return forEachJob(jobs, (job) => readJob(job, services));
}

/** Performs an action on several jobs, a few at a time. Returns the failures, without those of jobs that no longer exist. */
export async function forEachJob(
  jobs: readonly StoredJob[],
  action: (job: StoredJob) => Promise<unknown>,
): Promise<readonly JobFailure[]> {
  const failures = await failuresOf(jobs, action);
  return failures.filter(({ error }) => error.kind !== 'notFound');
}

/** Performs an action on several items, a few at a time. Returns the failures. @throws an error that is not an ApiError */
export async function failuresOf<Of>(
  items: readonly Of[],
  action: (item: Of) => Promise<unknown>,
): Promise<readonly JobFailure<Of>[]> {
  const failures: JobFailure<Of>[] = [];
  const attempt = async (job: Of): Promise<void> => {
    try {
      await action(job);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push({ job, error });
    }
  };
  await pMap(items, attempt, { concurrency: MAX_AT_ONCE });
  return failures;
}

/** Awaits a response about a job. Marks the job as gone if the platform does not have it. */
export async function orMarkGone<Answer>(
  job: StoredJob,
  { history, connectionId }: Pick<JobRecord, 'history' | 'connectionId'>,
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const known = history.find(connectionId, job.id);
    if (known && error instanceof ApiError && error.kind === 'notFound')
      await history.put(connectionId, { ...known, gone: true });
    throw error;
  }
}
