import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { oneLine, shown, foreign } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { itemById } from '../../../kit/cachePerList.ts';
import { LineText } from '../../logs/model/lineText.ts';
import { readLogLine } from '../../logs/model/readLogLine.ts';
import { readJob } from '../actions/readJob.ts';
import { MAX_SEARCHED_LINES, readJobLog, type JobLogLines } from '../actions/readJobLog.ts';
import { jobName, type StoredJob } from '../model/storedJob.ts';
import { JOBS_VIEW } from '../model/jobNames.ts';
import { actionServices, type Jobs, type JobServices } from '../jobServices.ts';
import type { ChosenJob } from './chosenJobs.ts';
import type { ViewDocument } from './jobViewDocuments.ts';

const OPEN_LOG: CommandId = 'cloudCompute.logs.open';
const CONFIRMATION_MS = 10_000;

type JobOnWorker = StoredJob & { readonly workerId: string };

/** Shows the log lines of a job in a document, or the whole log of its worker if none of the lines belongs to the job. */
export async function showJobLog({ services, viewDocuments: documents }: Jobs, chosen: ChosenJob): Promise<void> {
  const { connectionId } = chosen;
  const job = await withWorker(services, chosen);
  const found = await withProgress({ title: l10n.t('Reading the log…'), location: { viewId: JOBS_VIEW } }, (signal) =>
    readLines(services, connectionId, job, signal),
  );
  if (found.lines.length === 0) {
    showStatusBarMessage(shown`$(info) No line of the worker's log belongs to the job`, CONFIRMATION_MS);
    await vscode.commands.executeCommand(OPEN_LOG, workerNode(job));
    return;
  }
  const address = { kind: 'log', connectionId, endpointId: job.endpointId, jobId: job.id } as const;
  await documents.show(address, jobName(job, services.history.recent(connectionId)), logDocument(job, found));
}

/** Reads the document with the log lines of a job. */
export async function loadJobLog(services: JobServices, connectionId: string, job: StoredJob): Promise<ViewDocument> {
  const onWorker = await withWorker(services, { connectionId, job });
  return logDocument(onWorker, await readLines(services, connectionId, onWorker));
}

/** Returns the row of a job's worker in the endpoints view. */
function workerNode({ endpointId, workerId }: JobOnWorker): EndpointNode {
  return { kind: 'worker', endpointId, workerId };
}

/** Returns a job with its worker. Reads the job if its entry does not contain the worker. @throws UserError */
async function withWorker(services: JobServices, { connectionId, job }: ChosenJob): Promise<JobOnWorker> {
  if (job.workerId === undefined && !job.gone) await readJob(job, actionServices(services, connectionId));
  const current = services.history.find(connectionId, job.id) ?? job;
  const { workerId } = current;
  if (workerId !== undefined) return { ...current, workerId };
  const isWaiting = current.status === 'IN_QUEUE';
  throw new UserError(
    isWaiting ? l10n.t('no worker has taken the job yet') : l10n.t('the worker of the job is not known'),
  );
}

async function readLines(
  services: JobServices,
  connectionId: string,
  job: JobOnWorker,
  signal?: AbortSignal,
): Promise<JobLogLines> {
  const { client, clock } = actionServices(services, connectionId);
  try {
    return await readJobLog(client, job, clock.now(), signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    throw new UserError(
      shown`the log of worker ${job.workerId} is gone; a platform deletes a log together with its worker`,
    );
  }
}

/** Returns a document with a heading that tells how the lines were found. */
function logDocument(job: JobOnWorker, { lines, byId, startsLate }: JobLogLines): ViewDocument {
  const text = new LineText({ timestamps: 'local' });
  const heading = [
    l10n.t`Job ${oneLine(job.id)} of ${oneLine(job.endpointName)} on worker ${oneLine(job.workerId)}`,
    byId
      ? l10n.t('These lines contain the ID of the job, or were written while it ran.')
      : l10n.t('No line contains the ID of the job. These lines were written while it ran.'),
    ...(startsLate
      ? [l10n.t`Earlier lines are missing: only the last ${MAX_SEARCHED_LINES} lines of the worker were read.`]
      : []),
    '',
  ];
  return {
    text: `${heading.join('\n')}\n${lines.map((event) => text.line(readLogLine(event), Date.parse(event.ts)).text).join('')}`,
    actions: [
      {
        line: 0,
        title: shown`$(output) Show Whole Log of Worker`,
        tooltip: l10n.t('Follows the log of the worker in the output panel'),
        command: OPEN_LOG,
        argument: workerNode(job),
      },
    ],
  };
}

/** Selects the worker of a job in the endpoints view. @throws UserError if the worker or its endpoint no longer exists */
export async function revealWorker(services: JobServices, { connectionId, job }: ChosenJob): Promise<void> {
  const { endpoints, endpointReveal } = services;
  actionServices(services, connectionId);
  const onWorker = await withWorker(services, { connectionId, job });
  const { endpointId, endpointName, workerId } = onWorker;
  if (!endpoints.find(endpointId)) await endpoints.refresh();
  await endpoints.refreshOne(endpointId);
  const snapshot = endpoints.find(endpointId);
  if (!snapshot) throw new UserError(shown`the endpoint “${endpointName}” no longer exists`);
  if (!itemById(snapshot.workers?.workers ?? [], workerId))
    throw new UserError(shown`worker ${foreign(workerId, 60)} has ended`);
  await endpointReveal.reveal(workerNode(onWorker));
}
