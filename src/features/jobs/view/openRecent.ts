import * as l10n from '@vscode/l10n';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { isEndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { pickJob } from './chosenJobs.ts';
import { listed } from './jobFilter.ts';
import { openResult } from './openResult.ts';
import type { JobServices } from '../jobServices.ts';

/** Lets the user pick one of the jobs of the list, of one endpoint or of all, and shows its result. */
export async function openRecent(services: JobServices, argument: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const connectionId = profile.id;
  const endpointIds = isEndpointNode(argument) ? [argument.endpointId] : [];
  const jobs = listed(services.history.recent(connectionId), { states: [], endpointIds });
  if (jobs.length === 0)
    throw new UserError(
      endpointIds.length === 0
        ? shown`no job has been run on ${profile.name} from this editor yet`
        : l10n.t('no job has been run on this endpoint from this editor yet'),
      { label: l10n.t('Run Job…'), command: 'cloudCompute.jobs.run' },
    );
  const job = await pickJob(services, jobs, l10n.t('Job to open'), l10n.t('Recent Jobs'));
  if (job) await openResult(services, { connectionId, job });
}
