import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isTerminal, MAX_RUN_SYNC_BYTES, type Job } from '../../../contract/job.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showError } from '../../../kit/errors.ts';
import { showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress, type Report } from '../../../kit/progress.ts';
import { dataSize, duration } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { outcomeOf, progressWords, timesWords } from '../../../account/jobWords.ts';
import type { WaitOptions } from '../actions/jobFollower.ts';
import type { ConnectedJob } from '../actions/followedJob.ts';
import { storableRequest } from '../actions/jobRequests.ts';
import { runToEnd, type JobOrder } from '../actions/submitJob.ts';
import { actionServices, type ActionSources, type JobServices } from '../jobServices.ts';
import { sizeProblem, inputWarning, type RunKind, type SizeProblem } from '../model/jobInput.ts';
import { partToShow, showJobDocument, showStream } from '../results/showJobDocument.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { ChosenInput } from '../chooseInput.ts';

const RUN_FAILED = l10n.t('Could not run the job');
const RUN_AND_WAIT = l10n.t('Run and Wait');
const LOGS: CommandId = 'cloudCompute.logs.open';
/** Interval for refreshing the tree while a job waits for a worker, in ms. */
const REFRESH_EVERY_MS = 3_000;

/** A job to submit on one connection. It is never submitted on another one. */
export interface JobRun extends JobOrder {
  readonly connectionId: string;
}

export type RunServices = ActionSources &
  Pick<JobServices, 'context' | 'documents' | 'endpoints' | 'lastInputs' | 'log'>;

/**
 * Runs a job with visible progress, then shows its document and a notification about its outcome. `runSync` waits at most for the timeout of
 * the endpoint. A longer job continues, and is followed.
 */
export async function runJob(services: RunServices, run: JobRun, kind: RunKind = 'run'): Promise<void> {
  const { documents, endpoints, lastInputs, log } = services;
  const { connectionId, endpointId, endpointName } = run;
  const problem = sizeProblem(run.body, kind);
  if (problem) {
    showTooLarge(problem, kind, () => void runJob(services, run, 'runSync').catch(showFailure(services)));
    return;
  }
  const connected = actionServices(services, connectionId);
  // A value that looks like a secret is not stored for the next run.
  const storable = storableRequest(run.body);
  if ('request' in storable) await lastInputs.put(connectionId, endpointId, storable.request);
  const title = kind === 'run' ? shown`Job on “${endpointName}”` : shown`Waiting for “${endpointName}”`;
  const limitMs = endpoints.find(endpointId)?.endpoint.timeout;
  const seen = { jobId: '', hasStream: false };
  const addressOf = (jobId: string): ConnectedJob => ({ connectionId, endpointId, jobId });
  const job = await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) => {
    report(l10n.t('submitting…'));
    const watch = watching(services, run, report);
    return runToEnd(run, connected, {
      ...{ kind, limitMs, signal, onWaiting: watch.onWaiting },
      onState: (state) => {
        seen.jobId = state.id;
        watch.onState(state);
      },
      onCanceling: () => report(l10n.t('canceling…')),
      onChunks: () => {
        if (!seen.hasStream)
          showStream(documents, addressOf(seen.jobId)).catch((error: unknown) =>
            log.warn('Could not show the stream', error),
          );
        seen.hasStream = true;
      },
    }).finally(() => void endpoints.refresh());
  });
  if (!job) {
    showStatusBarMessage(shown`$(clock) ${title}: saved; resumes when the platform starts again`, 10_000);
    return;
  }
  const address = addressOf(job.id);
  if (!isTerminal(job.status)) {
    showUnfinished(services, address, endpointName, limitMs);
    return;
  }
  // The document of a stream stays visible, because it shows the output. Its lens opens the result.
  // Nothing is in the document of a canceled job. The view lists it.
  if (job.status !== 'CANCELLED' && (!seen.hasStream || job.status === 'FAILED'))
    await showJobDocument(documents, address, partToShow(job));
  showOutcome(services, run, job, () => runJob(services, run, kind));
}

/** Refreshes the endpoints while a job is waited for, and reports its progress. */
function watching(
  { endpoints }: Pick<RunServices, 'endpoints'>,
  { endpointId }: JobOrder,
  report: Report,
): Required<Pick<WaitOptions, 'onState' | 'onWaiting'>> {
  let status: string | undefined;
  let queuedMs: number | undefined;
  let refreshedAt = 0;
  return {
    onState: (state) => {
      if (status !== undefined && status !== state.status) void endpoints.refresh();
      status = state.status;
    },
    onWaiting: (job, elapsedMs) => {
      const { endpoint, health, workers } = endpoints.find(endpointId) ?? {};
      if (job.status !== 'IN_QUEUE') queuedMs ??= job.delayTime ?? elapsedMs;
      report(
        progressWords({
          ...{ job, elapsedMs, queuedMs, workers: workers?.summary },
          ...{ maxWorkers: endpoint?.workers.max, inQueue: health?.jobs.inQueue },
        }),
      );
      if (job.status !== 'IN_QUEUE' || elapsedMs - refreshedAt < REFRESH_EVERY_MS) return;
      refreshedAt = elapsedMs;
      void endpoints.refresh();
    },
  };
}

function showFailure({ log }: Pick<RunServices, 'log'>): (error: unknown) => void {
  return (error) => showError(log, error, RUN_FAILED);
}

/** Shows that a request is too large to be sent, and offers the kind of request with a higher limit if that is enough. */
function showTooLarge({ bytes, limit }: SizeProblem, kind: RunKind, runAndWait: () => void): void {
  const message = shown`The request has ${dataSize(bytes)}, and the platform accepts at most ${dataSize(limit)}.`;
  if (kind === 'runSync' || bytes > MAX_RUN_SYNC_BYTES) {
    void showMessage('error', shown`${message} Store the data elsewhere, and send its address.`);
    return;
  }
  const remedy = shown`${message} “${RUN_AND_WAIT}” accepts up to ${dataSize(MAX_RUN_SYNC_BYTES)}.`;
  void showMessage('error', remedy, RUN_AND_WAIT).then((chosen) => {
    if (chosen === RUN_AND_WAIT) runAndWait();
  });
}

/** Shows the notification about a job that has ended, if its document is not enough. */
function showOutcome(services: RunServices, run: JobRun, job: Job, runAgain: () => Promise<void>): void {
  const outcome = outcomeOf(job, run.endpointName);
  if (!outcome) {
    showStatusBarMessage(shown`$(pass) Job on “${run.endpointName}” ${timesWords(job)}`, 10_000);
    return;
  }
  const { severity, message } = outcome;
  const logs = l10n.t('Show Logs');
  const again = l10n.t('Run Again');
  const { workerId } = job;
  const buttons = severity === 'information' ? [again] : [...(workerId === undefined ? [] : [logs]), again];
  // Not awaited, because the command ends before the user responds to the message.
  void showMessage(severity, message, ...buttons).then((chosen) => {
    if (chosen === again) void confirmAndRun(services, run, runAgain).catch(showFailure(services));
    if (chosen !== logs || workerId === undefined) return;
    const node: EndpointNode = { kind: 'worker', endpointId: run.endpointId, workerId };
    void vscode.commands.executeCommand(LOGS, node);
  });
}

async function confirmAndRun(services: RunServices, run: JobRun, runAgain: () => Promise<void>): Promise<void> {
  const profile = services.connections.find(run.connectionId);
  const requests = { endpointName: run.endpointName, count: 1, price: run.pricePerHour };
  if (!profile || (await mayRunOn(services.context.workspaceState, profile, requests))) await runAgain();
}

/** Says that a job continues after the wait for its result. @param timeout time of the wait, in ms */
function showUnfinished(
  services: Pick<RunServices, 'documents' | 'log'>,
  address: ConnectedJob,
  endpointName: string,
  timeout: number | undefined,
): void {
  const waited = timeout === undefined ? '' : l10n.t` after ${duration(timeout / 1000)}`;
  const show = l10n.t('Show Job');
  const message = shown`The job on “${endpointName}” has not ended${waited}. It continues, and the editor follows it.`;
  void showMessage('information', message, show).then((chosen) => {
    if (chosen === show)
      void showJobDocument(services.documents, address).catch((error: unknown) =>
        showError(services.log, error, l10n.t('Could not open the job')),
      );
  });
}

export type RunCommandServices = RunServices & Pick<JobServices, 'liveValues' | 'manifests'>;

/** Runs a job with an input, after the user has agreed to the costs. */
export async function submitInput(
  services: RunCommandServices,
  { endpoint }: EndpointSnapshot,
  input: ChosenInput,
  kind: RunKind,
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const { id, name } = endpoint;
  const pricePerHour = workerPrice(endpoint, services.liveValues.current);
  const requests = { endpointName: name, count: 1, price: pricePerHour };
  if (!(await mayRunOn(services.context.workspaceState, profile, requests))) return;
  const warning = profile.kind === 'hosted' ? inputWarning(input.body) : undefined;
  if (warning !== undefined) void showMessage('warning', warning);
  const run = { connectionId: profile.id, endpointId: id, endpointName: name, pricePerHour, ...input };
  await runJob(services, run, kind);
}
