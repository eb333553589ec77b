import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { JobInfo, JobReference, JobsApi, JobSubmission } from '../../api/cloudCompute.d.ts';
import { followJob } from '../../client/followJob.ts';
import { isTerminal, JobInput, type Job } from '../../contract/job.ts';
import { confirmed } from '../../vscode/messages.ts';
import { joined } from '../../vscode/text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { requireConnection, requireConnectionOf } from '../connections/requireConnection.ts';
import { workerPrice } from '../costs/model/workerPrice.ts';
import { isQueue, type EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import { costOf } from '../jobs/confirmHosted.ts';
import { submitJob } from '../jobs/actions/submitAgain.ts';
import { sizeProblem } from '../jobs/model/requestSize.ts';
import { showJobDocument } from '../jobs/results/showJobDocument.ts';
import type { JobServices } from '../jobs/run/jobServices.ts';
import { actionServices } from '../jobs/view/viewServices.ts';
import { ApiFailure, calling } from './apiFailure.ts';
import { endpointWith } from './endpointsApi.ts';

/** What another extension can pass, which its types do not guarantee. */
const Submission = z.object({ endpointId: z.string().min(1), input: JobInput, requester: z.string().min(1) });

/** Submits, follows, and reads jobs for other extensions. */
export function jobsApi(services: JobServices): JobsApi {
  const { connections } = services;
  const read = ({ connectionId, endpointId, jobId }: JobReference): Promise<JobInfo> =>
    calling(l10n.t('Could not read the job'), async () => {
      const { client } = requireConnectionOf(connections, connectionId);
      return infoOf({ connectionId, endpointId }, await client.getJobStatus({ endpointId, jobId }));
    });
  return {
    read,
    submit: (submission) => calling(l10n.t('Could not run the job'), () => submit(services, submission)),
    follow: ({ connectionId, endpointId, jobId }, onDidChange, token) =>
      calling(l10n.t('Could not follow the job'), async () => {
        const { client } = requireConnectionOf(connections, connectionId);
        const stop = new AbortController();
        const subscription = token?.onCancellationRequested(() => stop.abort());
        if (token?.isCancellationRequested) stop.abort();
        try {
          let last: JobInfo | undefined;
          for await (const job of followJob(client, { endpointId, jobId }, stop.signal)) {
            last = infoOf({ connectionId, endpointId }, job);
            onDidChange?.(last);
          }
          // The last state is yielded before the end.
          return last ?? (await read({ connectionId, endpointId, jobId }));
        } finally {
          subscription?.dispose();
        }
      }),
    open: (job) =>
      calling(l10n.t('Could not open the job'), async () => {
        requireConnectionOf(connections, job.connectionId);
        await showJobDocument(job);
      }),
  };
}

async function submit(services: JobServices, submission: JobSubmission): Promise<JobReference> {
  if (!vscode.workspace.isTrusted)
    throw new ApiFailure('untrusted', l10n.t('Jobs of other extensions require a trusted workspace.'));
  const { data } = Submission.safeParse(submission);
  if (!data || sizeProblem({ input: data.input }, 'run'))
    throw new ApiFailure('invalid', l10n.t('A job needs an endpoint, a requester, and an input of at most 10 MB.'));
  const { endpointId, input, requester } = data;
  const { profile } = requireConnection(services.connections);
  services.liveValues.request();
  const snapshot = await endpointWith(services, endpointId);
  const { name: endpointName } = snapshot.endpoint;
  if (!isQueue(snapshot.endpoint))
    throw new ApiFailure('invalid', l10n.t`“${endpointName}” is load-balanced: it takes HTTP requests, not jobs.`);
  const pricePerHour = workerPrice(snapshot.endpoint, services.liveValues.current);
  if (profile.kind !== 'local' && !(await isAllowed(profile, snapshot, requester, pricePerHour)))
    throw new ApiFailure('declined', l10n.t('The job was not allowed.'));
  const connected = actionServices(services, profile.id);
  const order = { endpointId, endpointName, body: { input }, pricePerHour };
  const { id } = await submitJob(order, { ...connected, requests: services.requests });
  return { connectionId: profile.id, endpointId, jobId: id };
}

/** Asks each time, because the editor cannot tell which extension calls. An answer that is kept would therefore hold for all extensions. */
function isAllowed(
  profile: Profile,
  { endpoint }: EndpointSnapshot,
  requester: string,
  price: number | undefined,
): Promise<boolean> {
  const { name } = endpoint;
  const details = [
    l10n.t`The extension calls itself “${requester}”. The editor cannot verify this.`,
    l10n.t`Platform: ${new URL(profile.baseUrl).host}`,
    costOf({ endpointName: name, count: 1, price }),
  ];
  const question = l10n.t`Another extension asks to run a job of “${name}” on “${profile.name}”. Run it?`;
  return confirmed(question, joined(details, '\n'), l10n.t('Run'));
}

function infoOf(
  { connectionId, endpointId }: Pick<JobReference, 'connectionId' | 'endpointId'>,
  { id, status, output, error, delayTime, executionTime }: Job,
): JobInfo {
  const reference = { connectionId, endpointId, jobId: id };
  return { ...reference, status, hasEnded: isTerminal(status), output, error, delayTime, executionTime };
}
