import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Job } from '../../contract/job.ts';
import type { CommandId } from '../../vscode/commandIds.ts';
import { showError } from '../../vscode/errors.ts';
import { showMessage, showStatusBarMessage } from '../../vscode/messages.ts';
import { withProgress, type Report } from '../../vscode/progress.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { requireConnectionOf } from '../connections/requireConnection.ts';
import type { EndpointNode } from '../endpoints/endpointNode.ts';
import type { Services } from '../services.ts';
import type { JobDocuments } from './jobDocuments.ts';
import type { JobHistoryStore, StoredJob } from './jobHistoryStore.ts';
import { outcomeOf, progressWords, timesWords } from './jobWords.ts';
import type { LastInputStore } from './lastInputStore.ts';
import { showJobDocument } from './showJobDocument.ts';
import { submitAndFollow, type JobObserver, type JobOrder } from './actions/submitAndFollow.ts';

export interface JobServices extends Services {
  readonly history: JobHistoryStore;
  readonly lastInputs: LastInputStore;
  readonly documents: JobDocuments;
}

/** A job to submit on one connection. It is never submitted on another one. */
export interface JobRun extends JobOrder {
  readonly connectionId: string;
}

export const RUN_FAILED = 'Could not run the job';
const LOGS: CommandId = 'cloudCompute.logs.open';
/** Interval for refreshing the tree while a job waits for a worker, in ms. */
const REFRESH_EVERY_MS = 3_000;

/** Runs a job with visible progress, then shows its document and a notification about its outcome. */
export async function runJob(services: JobServices, run: JobRun): Promise<void> {
  const { client } = requireConnectionOf(services.connections, run.connectionId);
  await services.lastInputs.put(run.connectionId, run.endpointId, run.body);
  const title = shown`Job on “${run.endpointName}”`;
  const job = await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
    submit(services, run, client, signal, report),
  );
  if (!job) {
    showStatusBarMessage(shown`$(clock) ${title}: saved; resumes when the platform starts again`, 10_000);
    return;
  }
  await showJobDocument({ connectionId: run.connectionId, endpointId: run.endpointId, jobId: job.id });
  showOutcome(services, run, job);
}

async function submit(
  services: JobServices,
  run: JobRun,
  client: Client,
  signal: AbortSignal,
  report: Report,
): Promise<Job | undefined> {
  const { clock, connections, endpoints, history, log } = services;
  const record = (job: StoredJob): void => {
    history
      .put(run.connectionId, job)
      .then(undefined, (error: unknown) => log.warn('Could not write the job history', error));
  };
  report('submitting…');
  try {
    return await submitAndFollow(run, {
      client,
      clock,
      signal,
      isConnected: () => connections.client === client,
      observer: observerOf(services, run, report),
      record,
    });
  } finally {
    void endpoints.refresh();
  }
}

/** Returns an observer that shows a job's state in its document, in the progress notification, and in the tree. */
function observerOf({ documents, endpoints }: JobServices, run: JobRun, report: Report): JobObserver {
  const { connectionId, endpointId } = run;
  let status: string | undefined;
  let refreshedAt = 0;
  return {
    seen: (job) => {
      documents.update({ connectionId, endpointId, jobId: job.id }, job);
      if (status !== undefined && status !== job.status) void endpoints.refresh();
      status = job.status;
    },
    waiting: (job, elapsedMs) => {
      const snapshot = endpoints.find(endpointId);
      const [workers, maxWorkers] = [snapshot?.workers?.summary, snapshot?.endpoint.workers.max];
      report(progressWords({ job, elapsedMs, workers, maxWorkers }));
      if (job.status !== 'IN_QUEUE' || elapsedMs - refreshedAt < REFRESH_EVERY_MS) return;
      refreshedAt = elapsedMs;
      void endpoints.refresh();
    },
    canceling: () => report('canceling…'),
  };
}

function showOutcome(services: JobServices, run: JobRun, job: Job): void {
  const outcome = outcomeOf(job, run.endpointName);
  if (!outcome) {
    showStatusBarMessage(shown`$(pass) Job on “${run.endpointName}” ${timesWords(job)}`, 10_000);
    return;
  }
  const { severity, message } = outcome;
  const logs = 'Show Worker Logs';
  const again = 'Run Again';
  const { workerId } = job;
  const buttons = severity === 'information' ? [again] : [...(workerId === undefined ? [] : [logs]), again];
  // Not awaited, because the command ends before the user responds to the message.
  void showMessage(severity, message, ...buttons).then((chosen) => {
    if (chosen === again)
      void runJob(services, run).catch((error: unknown) => showError(services.log, error, RUN_FAILED));
    if (chosen !== logs || workerId === undefined) return;
    const node: EndpointNode = { kind: 'worker', endpointId: run.endpointId, workerId };
    void vscode.commands.executeCommand(LOGS, node);
  });
}
