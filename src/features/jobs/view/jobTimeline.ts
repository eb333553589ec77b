import * as l10n from '@vscode/l10n';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { waterfallWidth } from '../../../kit/waterfalls.ts';
import { shown } from '../../../text/shownText.ts';
import type { CalledConnection, Jobs } from '../jobServices.ts';
import { readJobLife } from '../actions/readJobLife.ts';
import { isLive } from '../model/timeline/jobLife.ts';
import { timelineText } from '../model/timeline/timelineText.ts';
import { jobName, type StoredJob } from '../model/storedJob.ts';
import type { ChosenJob } from './chosenJobs.ts';
import type { JobNode } from './jobList.ts';
import type { ViewDocument } from './jobViewDocuments.ts';

const EXPLAIN: CommandId = 'cloudCompute.endpoints.explain';
const OPEN_RESULT: CommandId = 'cloudCompute.jobs.openResult';

/** Shows what the time of a job was spent on. */
export async function showTimeline({ services, viewDocuments: documents }: Jobs, chosen: ChosenJob): Promise<void> {
  const { connectionId, job } = chosen;
  const address = { kind: 'timeline', connectionId, endpointId: job.endpointId, jobId: job.id } as const;
  await documents.show(address, jobName(job, services.history.recent(connectionId)));
}

/** Reads the document with the timeline of a job. @throws ApiError */
export async function loadTimeline(
  { client, profile }: Pick<CalledConnection, 'client' | 'profile'>,
  job: StoredJob,
): Promise<ViewDocument> {
  const { endpointId, endpointName, notStored } = job;
  const isElsewhere = notStored === 'submittedElsewhere';
  const submittedAt = isElsewhere ? undefined : (job.answeredAt ?? job.submittedAt);
  const isLocal = profile.kind === 'local';
  const life = await readJobLife({ client, isLocal, job: { ...job, submittedAt } });
  const { text, lines, adviceLine } = timelineText(life, { endpointName, width: waterfallWidth() });
  const endpoint: EndpointNode = { kind: 'endpoint', endpointId };
  const node: JobNode = { kind: 'job', connectionId: profile.id, jobId: job.id };
  return {
    text,
    timeline: { endpointId, lines, goesOn: isLive(life) },
    actions: [
      {
        line: 0,
        title: shown`$(json) Show Result`,
        tooltip: l10n.t('Opens another document of this job'),
        ...{ command: OPEN_RESULT, argument: node },
      },
      ...(adviceLine === undefined
        ? []
        : [
            {
              line: adviceLine,
              title: shown`$(lightbulb) Explain This Endpoint`,
              tooltip: l10n.t('Explains why jobs of the endpoint wait, and what helps'),
              ...{ command: EXPLAIN, argument: endpoint },
            },
          ]),
    ],
  };
}
