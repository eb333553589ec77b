import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isTerminal } from '../../../contract/job.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import { submitAndFollow } from '../actions/submitAndFollow.ts';
import { submitAndWait } from '../actions/submitAndWait.ts';
import { sizeProblem, type RunKind } from '../model/requestSize.ts';
import { storableRequest } from '../requests/storableRequest.ts';
import { partToShow, showJobDocument } from '../results/showJobDocument.ts';
import type { JobRun, JobServices } from './jobServices.ts';
import { JobWatch } from './jobWatch.ts';
import { showOutcome, showUnfinished } from './outcome.ts';
import { showTooLarge } from './tooLarge.ts';

export type { JobRun, JobServices } from './jobServices.ts';

/** Runs a job with visible progress, then shows its document and a notification about its outcome. */
export async function runJob(services: JobServices, run: JobRun): Promise<void> {
  await perform(services, run, 'run');
}

/** Runs a job with `runsync`, and waits at most for the timeout of its endpoint. A longer job continues, and is tracked. */
export async function runAndWait(services: JobServices, run: JobRun): Promise<void> {
  await perform(services, run, 'runSync');
}

async function perform(services: JobServices, run: JobRun, kind: RunKind): Promise<void> {
  const problem = sizeProblem(run.body, kind);
  if (problem) {
    showTooLarge(problem, kind, services.log, () => runAndWait(services, run));
    return;
  }
  const { client } = requireConnectionOf(services.connections, run.connectionId);
  await keepInput(services, run);
  const title = kind === 'run' ? shown`Job on “${run.endpointName}”` : shown`Waiting for “${run.endpointName}”`;
  const { clock, connections } = services;
  const timeout = services.endpoints.find(run.endpointId)?.endpoint.timeout;
  const { last: job, hasStream } = await withProgress(
    { title, location: vscode.ProgressLocation.Notification },
    async (signal, report) => {
      const watch = new JobWatch(services, run, client, report);
      const isConnected = () => connections.client === client;
      const options = { client, clock, signal, isConnected, observer: watch, record: watch.record };
      report(l10n.t('submitting…'));
      try {
        const last = await (kind === 'run' ? submitAndFollow(run, options) : submitAndWait(run, timeout, options));
        await watch.end(last);
        return { last, hasStream: watch.hasChunks };
      } finally {
        watch.release();
      }
    },
  );
  if (!job) {
    showStatusBarMessage(shown`$(clock) ${title}: saved; resumes when the platform starts again`, 10_000);
    return;
  }
  const address = { connectionId: run.connectionId, endpointId: run.endpointId, jobId: job.id };
  if (!isTerminal(job.status)) {
    showUnfinished(services, address, run.endpointName, timeout);
    return;
  }
  // The document of a stream stays visible, because it shows the output. Its lens opens the result.
  // Nothing is in the document of a canceled job. The view lists it.
  if (job.status !== 'CANCELLED' && (!hasStream || job.status === 'FAILED'))
    await showJobDocument(address, partToShow(job));
  showOutcome(services, run, job, () => perform(services, run, kind));
}

/** Stores the input for the next run, unless it contains a value that looks like a secret. */
async function keepInput({ lastInputs }: JobServices, { connectionId, endpointId, body }: JobRun): Promise<void> {
  const storable = storableRequest(body);
  if ('request' in storable) await lastInputs.put(connectionId, endpointId, storable.request);
}
