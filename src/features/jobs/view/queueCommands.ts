import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { confirmed, showMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { askForText, type PickOptions } from '../../../kit/quickInput.ts';
import { object, text } from '../../../kit/smallSchema.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { checkJobStatus, jobIdProblem, type NamedJob } from '../actions/readJob.ts';
import { purgeQueue, readQueue } from '../actions/changeJobs.ts';
import { chooseEndpoint } from '../chooseEndpoint.ts';
import { showJobDocument } from '../results/showJobDocument.ts';
import { JOBS_VIEW } from '../model/jobNames.ts';
import { goneError, openResult } from './openResult.ts';
import { actionServices, type CalledConnection, type JobServices } from '../jobServices.ts';

const IN_VIEW = { viewId: JOBS_VIEW } as const;

/** A job that is an argument of the command. */
const GivenJob = object({ jobId: text, endpointId: text, endpointName: text });

/**
 * Adds a job to the list, and shows its result. Without one, asks for a job ID, and for its endpoint unless the job is in the list.
 *
 * @param given job of the current connection
 */
export async function checkStatus(services: JobServices, given?: unknown): Promise<void> {
  const connected = actionServices(services);
  const { connectionId } = connected;
  const { data: job } = GivenJob.safeParse(given);
  if (job) {
    await readUnknownJob(connected, job);
    await showJobDocument(services.documents, { connectionId, endpointId: job.endpointId, jobId: job.jobId });
    return;
  }
  const entered = await askForText({
    title: l10n.t('Check Job Status'),
    prompt: l10n.t('ID of a job, which the response to its request contains'),
    value: '',
    ignoreFocusOut: true,
    validate: jobIdProblem,
  });
  if (entered === undefined) return;
  const jobId = entered.trim();
  const known = services.history.find(connectionId, jobId);
  if (known) {
    await openResult(services, { connectionId, job: known });
    return;
  }
  const endpoint = await queueEndpoint(services, undefined, {
    title: l10n.t('Check Job Status'),
    placeholder: l10n.t('Endpoint of the job'),
  });
  if (!endpoint) return;
  await readUnknownJob(connected, { ...endpoint, jobId });
  await showJobDocument(services.documents, { connectionId, endpointId: endpoint.endpointId, jobId });
}

async function readUnknownJob(connected: CalledConnection, job: NamedJob): Promise<void> {
  try {
    await withProgress({ title: l10n.t('Reading the job…'), location: IN_VIEW }, () => checkJobStatus(job, connected));
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    const { shown: reason } = goneError({ id: job.jobId, endpointName: job.endpointName }, connected.profile);
    throw new UserError(shown`${reason} Check the ID and the endpoint.`, {
      label: l10n.t('Try Again'),
      command: 'cloudCompute.jobs.checkStatus',
    });
  }
}

/** Removes the waiting jobs of an endpoint after a confirmation that contains their number. */
export async function askAndPurge(services: JobServices, argument: unknown): Promise<void> {
  const endpoint = await queueEndpoint(services, argument, {
    title: l10n.t('Purge Queue'),
    placeholder: l10n.t('Endpoint to remove the waiting jobs of'),
  });
  if (!endpoint) return;
  const { endpointId, endpointName } = endpoint;
  const connected = actionServices(services);
  const { waiting, running } = await withProgress({ title: l10n.t('Counting the jobs…'), location: IN_VIEW }, () =>
    readQueue(connected.client, endpointId),
  );
  if (waiting === 0) {
    void showMessage('information', shown`No job waits in the queue of “${endpointName}”.`);
    return;
  }
  const question =
    waiting === 1
      ? shown`Remove 1 waiting job from the queue of “${endpointName}”?`
      : shown`Remove ${waiting} waiting jobs from the queue of “${endpointName}”?`;
  const detail =
    running === 0
      ? l10n.t('No job is running.')
      : running === 1
        ? l10n.t('1 running job continues.')
        : l10n.t`${running} running jobs continue.`;
  if (!(await confirmed(question, detail, l10n.t('Purge Queue')))) return;
  // The current connection can have changed while the question was open.
  const still = actionServices(services, connected.connectionId);
  const removed = await withProgress({ title: l10n.t('Purging the queue…'), location: IN_VIEW }, () =>
    purgeQueue(endpointId, still),
  );
  void services.endpoints.refreshOne(endpointId);
  void showMessage(
    'information',
    removed === 1
      ? shown`1 waiting job removed from the queue of “${endpointName}”.`
      : shown`${removed} waiting jobs removed from the queue of “${endpointName}”.`,
  );
}

async function queueEndpoint(
  services: JobServices,
  argument: unknown,
  texts: Required<PickOptions>,
): Promise<Omit<NamedJob, 'jobId'> | undefined> {
  const { connectionId } = actionServices(services);
  const usedLast = services.history.recent(connectionId)[0]?.endpointId;
  const snapshot = await chooseEndpoint(services, argument, usedLast, texts);
  return snapshot && { endpointId: snapshot.endpoint.id, endpointName: snapshot.endpoint.name };
}
