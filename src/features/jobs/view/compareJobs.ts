import * as l10n from '@vscode/l10n';
import { showDifference } from '../../../kit/diffEditor.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { jobName } from '../model/jobName.ts';
import { pickJob, type ChosenJobs } from './chosenJobs.ts';
import { EVERY_JOB, listed } from './jobFilter.ts';
import { readResult, resultUri } from './openResult.ts';
import type { JobServices } from '../jobServices.ts';

/** Shows the difference between the results of two jobs, the older one on the left. Asks for the second job if there is only one. */
export async function compareJobs(services: JobServices, { connectionId, jobs }: ChosenJobs): Promise<void> {
  if (jobs.length > 2) throw new UserError(l10n.t('select two jobs'));
  const [first] = jobs;
  const second = jobs[1] ?? (first && (await pickSecond(services, connectionId, first)));
  if (!first || !second) return;
  const [older, newer] = first.submittedAt <= second.submittedAt ? [first, second] : [second, first];
  for (const job of [older, newer]) await readResult(services, { connectionId, job });
  const all = services.history.recent(connectionId);
  await showDifference(
    resultUri(services, { connectionId, job: older }),
    resultUri(services, { connectionId, job: newer }),
    shown`${jobName(older, all)} ↔ ${jobName(newer, all)}`,
  );
}

/** Offers the other jobs, those of the same endpoint first. */
async function pickSecond(
  services: JobServices,
  connectionId: string,
  first: StoredJob,
): Promise<StoredJob | undefined> {
  const others = listed(services.history.recent(connectionId), EVERY_JOB).filter(({ id }) => id !== first.id);
  if (others.length === 0) throw new UserError(l10n.t('the list contains no other job'));
  const isSame = ({ endpointId }: StoredJob) => endpointId === first.endpointId;
  const sorted = [...others.filter(isSame), ...others.filter((job) => !isSame(job))];
  return pickJob(services, sorted, l10n.t('Job to compare with'), l10n.t('Compare Results'));
}
