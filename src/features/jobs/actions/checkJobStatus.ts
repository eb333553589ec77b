import * as l10n from '@vscode/l10n';
import { isTerminal, type Job } from '../../../contract/job.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { readJob, type JobRecord } from './readJob.ts';

/** A job that may have been submitted elsewhere. */
export interface NamedJob {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly jobId: string;
}

/** Reads a job by its ID and adds it to the history. @throws ApiError; of kind `notFound` if the platform does not have the job */
export async function checkJobStatus({ endpointId, endpointName, jobId }: NamedJob, services: JobRecord): Promise<Job> {
  const { client, connectionId, clock, history, tracking } = services;
  const known = history.find(connectionId, jobId);
  if (known) return readJob(known, services);
  const state = await client.getJobStatus({ endpointId, jobId });
  const job: StoredJob = {
    ...{ id: jobId, endpointId, endpointName, submittedAt: clock.now(), status: state.status },
    notStored: 'submittedElsewhere',
  };
  await history.put(connectionId, job);
  await tracking.seen(connectionId, job, state);
  if (!isTerminal(state.status)) tracking.track(connectionId, job);
  return state;
}

/** Returns the problem with a typed job ID, or undefined for a valid one. */
export function jobIdProblem(text: string): string | undefined {
  const id = text.trim();
  if (id === '') return l10n.t('Enter the ID of a job');
  if (id.includes('/')) return l10n.t('Enter only the ID, without a slash');
  if (/\s/.test(id)) return l10n.t('A job ID contains no spaces');
  if (/^\.+$/.test(id)) return l10n.t('This is not the ID of a job');
  return undefined;
}
