import * as l10n from '@vscode/l10n';
import { selectedRows } from '../../../kit/selectedRows.ts';
import { UserError } from '../../../kit/userError.ts';
import { pick, type ShownItem } from '../../../kit/quickInput.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { JOBS_VIEW } from '../model/jobNames.ts';
import { statusIcon } from '../../../account/jobWords.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { JobServices } from '../jobServices.ts';
import { EVERY_JOB, listed } from './jobFilter.ts';
import { jobNodesIn } from './jobList.ts';
import { presentOf, renderJob, type Present } from './jobRows.ts';

/** Jobs of one connection. */
export interface ChosenJobs {
  readonly connectionId: string;
  readonly jobs: readonly StoredJob[];
}

/** A job and its connection. */
export interface ChosenJob {
  readonly connectionId: string;
  readonly job: StoredJob;
}

type Sources = Pick<JobServices, 'history' | 'clock' | 'connections'>;

/**
 * Returns the jobs that a command acts on: those of the selected rows, that of the clicked row, or one that the user picks. Returns
 * undefined if the user picks none.
 *
 * @throws UserError if the jobs were removed from the list
 */
export async function chosenJobs(
  services: Sources,
  args: readonly unknown[],
  placeholder: Showable,
): Promise<ChosenJobs | undefined> {
  const { history, connections } = services;
  const nodes = jobNodesIn(args);
  const [first] = nodes;
  if (first) {
    const { connectionId } = first;
    const jobs = nodes.flatMap(({ jobId }) => history.find(connectionId, jobId) ?? []);
    if (jobs.length === 0) throw new UserError(l10n.t('the job is no longer in the list'));
    return { connectionId, jobs };
  }
  const { id: connectionId } = requireConnection(connections).profile;
  const jobs = listed(history.recent(connectionId), EVERY_JOB);
  if (jobs.length === 0)
    throw new UserError(l10n.t('the list of jobs is empty'), {
      label: l10n.t('Run Job…'),
      command: 'cloudCompute.jobs.run',
    });
  const selected = new Set(jobNodesIn([undefined, selectedRows(JOBS_VIEW)]).map(({ jobId }) => jobId));
  const likely = jobs.filter(({ id }) => selected.has(id));
  const job = await pickJob(services, [...likely, ...jobs.filter(({ id }) => !selected.has(id))], placeholder);
  return job && { connectionId, jobs: [job] };
}

/** Like `chosenJobs`, for commands that act on the clicked row only. */
export async function chosenJob(
  services: Sources,
  args: readonly unknown[],
  placeholder: Showable,
): Promise<ChosenJob | undefined> {
  const chosen = await chosenJobs(services, args.slice(0, 1), placeholder);
  const job = chosen?.jobs[0];
  return chosen && job && { connectionId: chosen.connectionId, job };
}

/** Lets the user pick one of these jobs. */
export async function pickJob(
  { clock, connections }: Pick<Sources, 'clock' | 'connections'>,
  jobs: readonly StoredJob[],
  placeholder: Showable,
  title: Showable = l10n.t('Jobs'),
): Promise<StoredJob | undefined> {
  const present = presentOf(clock, connections);
  return (
    await pick(
      jobs.map((job) => itemOf(job, present)),
      { title, placeholder },
    )
  )?.job;
}

function itemOf(job: StoredJob, present: Present): ShownItem & { readonly job: StoredJob } {
  const { label, description } = renderJob(job, present);
  return { label: shown`$(${statusIcon(job.status)}) ${label}`, description, detail: job.id, job };
}
