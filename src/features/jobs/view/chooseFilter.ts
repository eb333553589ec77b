import * as l10n from '@vscode/l10n';
import { pickMany, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import type { StoredJob } from '../model/storedJob.ts';
import type { Jobs } from '../createJobs.ts';
import { currentConnection } from './changeCommands.ts';
import { endpointsIn, stateLabels, type JobFilter } from './jobFilter.ts';
import { JOB_STATES, stateOf, type JobState } from './jobRows.ts';

interface FilterItem extends ShownItem {
  readonly state?: JobState;
  readonly endpointId?: string;
}

/** Lets the user choose the filter of the jobs view. */
export async function askAndFilter({ services, filters }: Jobs): Promise<void> {
  const id = currentConnection(services);
  const filter = await chooseFilter(services.history.recent(id), filters.get(id));
  if (filter) await filters.set(id, filter);
}

/** Asks for the states and endpoints of the jobs to show. Resolves with undefined if the user dismisses the list. */
async function chooseFilter(jobs: readonly StoredJob[], current: JobFilter): Promise<JobFilter | undefined> {
  if (jobs.length === 0)
    throw new UserError(l10n.t('the list of jobs is empty'), {
      label: l10n.t('Run Job…'),
      command: 'cloudCompute.jobs.run',
    });
  const chosen = await pickMany(
    itemsOf(jobs, current),
    {
      title: l10n.t('Filter Jobs'),
      placeholder: l10n.t('States and endpoints to show. Select nothing to show all jobs.'),
    },
    ({ state, endpointId }) => {
      if (state !== undefined) return current.states.includes(state);
      return endpointId !== undefined && current.endpointIds.includes(endpointId);
    },
  );
  return (
    chosen && {
      states: chosen.flatMap(({ state }) => state ?? []),
      endpointIds: chosen.flatMap(({ endpointId }) => endpointId ?? []),
    }
  );
}

/** Lists the states and endpoints of the jobs, and those of the current filter. */
function itemsOf(jobs: readonly StoredJob[], current: JobFilter): readonly FilterItem[] {
  const counts = new Map<string, number>();
  for (const job of jobs)
    for (const key of [stateOf(job), `/${job.endpointId}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
  const known = endpointsIn(jobs);
  const endpointIds = [...new Set([...known.keys(), ...current.endpointIds])];
  const words = (key: string) => `${counts.get(key) ?? 0}`;
  return [
    separator('state'),
    ...JOB_STATES.filter((state) => counts.has(state) || current.states.includes(state)).map((state) => ({
      label: stateLabels[state],
      description: words(state),
      state,
    })),
    separator('endpoint'),
    ...endpointIds.map((endpointId) => ({
      label: known.get(endpointId) ?? endpointId,
      description: `${words(`/${endpointId}`)} · ${endpointId}`,
      endpointId,
    })),
  ];
}
