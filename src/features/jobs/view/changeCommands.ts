import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { explain } from '../../../kit/explain.ts';
import { confirmed, showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { cancelJobs } from '../actions/changeJobs.ts';
import { rereadJobs, type JobFailure } from '../actions/readJob.ts';
import { canRetry, retryJob } from '../actions/changeJobs.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { statusWords } from '../../../account/jobWords.ts';
import type { ChosenJob, ChosenJobs } from './chosenJobs.ts';
import { EVERY_JOB, isFiltering, listed } from './jobFilter.ts';
import { isActive } from './jobRows.ts';
import { JOBS_VIEW } from '../model/jobNames.ts';
import { goneError } from './openResult.ts';
import { priceOf } from './runAgain.ts';
import { actionServices, type Jobs, type JobServices } from '../jobServices.ts';

const IN_VIEW = { viewId: JOBS_VIEW } as const;
const CONFIRMATION_MS = 5_000;

/** Cancels the unfinished ones of these jobs. Asks before it cancels more than one. */
export async function askAndCancel(services: JobServices, { connectionId, jobs }: ChosenJobs): Promise<void> {
  const active = jobs.filter(isActive);
  const [first] = active;
  if (!first)
    throw new UserError(
      jobs.length === 1 ? l10n.t('the job has already ended') : l10n.t('the jobs have already ended'),
    );
  if (active.length > 1) {
    const question = shown`Cancel ${active.length} jobs?`;
    if (!(await confirmed(question, l10n.t('Canceled jobs have no result.'), l10n.t('Cancel Jobs')))) return;
  }
  const connected = actionServices(services, connectionId);
  const failures = await withProgress({ title: l10n.t('Canceling…'), location: IN_VIEW }, () =>
    cancelJobs(active, connected),
  );
  throwFirst(
    failures,
    active.length === 1
      ? shown`${failures.length} of 1 job was not canceled`
      : shown`${failures.length} of ${active.length} jobs were not canceled`,
  );
}

/** Submits a failed job again under its ID. */
export async function askAndRetry(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  const { profile } = actionServices(services, connectionId);
  if (!canRetry(job)) throw job.gone ? goneError(job, profile) : notRetryable(job);
  const paid = { endpointName: job.endpointName, count: 1, price: priceOf(services, job) };
  if (!(await mayRunOn(services.context.workspaceState, profile, paid))) return;
  // The current connection can have changed while the question was open.
  const connected = actionServices(services, connectionId);
  try {
    await withProgress({ title: l10n.t('Retrying…'), location: IN_VIEW }, () => retryJob(job, connected));
  } catch (error) {
    throw error instanceof ApiError && error.kind === 'notFound' ? goneError(job, profile) : error;
  }
  showStatusBarMessage(shown`$(debug-restart) Job on “${job.endpointName}” is in the queue again`, CONFIRMATION_MS);
}

function notRetryable({ status }: StoredJob): UserError {
  return new UserError(shown`only a failed or timed-out job can be retried; this one is ${statusWords(status)}`);
}

/** Removes jobs from the list. Asks before it removes unfinished ones. */
export async function askAndRemove(services: JobServices, { connectionId, jobs }: ChosenJobs): Promise<void> {
  const active = jobs.filter(isActive).length;
  if (active > 0) {
    const question =
      jobs.length === 1
        ? shown`Remove the unfinished job from the list?`
        : shown`Remove ${jobs.length} jobs from the list?`;
    const detail = l10n.t('Unfinished jobs continue on the platform.');
    if (!(await confirmed(question, detail, l10n.t('Remove')))) return;
  }
  await removeJobs(services, connectionId, jobs);
}

/** Shows all jobs of the current connection. */
export async function clearFilter({ services, filters }: Jobs): Promise<void> {
  await filters.set(currentConnection(services), EVERY_JOB);
}

/** Removes the ended jobs that match the filter after a confirmation. */
export async function askAndClear({ services, filters }: Jobs): Promise<void> {
  const connectionId = currentConnection(services);
  const filter = filters.get(connectionId);
  const jobs = listed(services.history.recent(connectionId), filter).filter((job) => !isActive(job));
  if (jobs.length === 0) throw new UserError(l10n.t('no job in the list has ended'));
  const matching = isFiltering(filter) ? l10n.t('Jobs outside the filter stay.\n') : '';
  const detail = l10n.t`${matching}The platform keeps the jobs.`;
  if (
    !(await confirmed(
      jobs.length === 1
        ? shown`Remove 1 ended job from the list?`
        : shown`Remove ${jobs.length} ended jobs from the list?`,
      detail,
      l10n.t('Clear'),
    ))
  )
    return;
  await removeJobs(services, connectionId, jobs);
}

/** Reads all unfinished jobs of the current connection. */
export async function refreshJobs(services: JobServices): Promise<void> {
  const connected = actionServices(services);
  const active = services.history.recent(connected.connectionId).filter(isActive);
  const failures = await withProgress({ title: l10n.t('Reading the jobs…'), location: IN_VIEW }, () =>
    rereadJobs(active, connected),
  );
  throwFirst(
    failures,
    active.length === 1
      ? shown`${failures.length} of 1 job could not be read`
      : shown`${failures.length} of ${active.length} jobs could not be read`,
  );
}

/** Returns the ID of the current connection, whether or not its platform can be called. @throws NotConnectedError */
export function currentConnection({ connections }: JobServices): string {
  return (connections.profile ?? requireConnection(connections).profile).id;
}

async function removeJobs(
  { history, requests }: JobServices,
  connectionId: string,
  jobs: readonly StoredJob[],
): Promise<void> {
  const ids = jobs.map(({ id }) => id);
  await history.remove(connectionId, ids);
  await requests.remove(connectionId, ids);
}

function throwFirst(failures: readonly JobFailure[], summary: ShownText): void {
  const [first] = failures;
  if (first) throw failures.length === 1 ? first.error : new UserError(explain(first.error, summary));
}
