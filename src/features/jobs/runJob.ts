import * as vscode from 'vscode';
import { ApiError } from '../../client/apiError.ts';
import type { Clock } from '../../client/clock.ts';
import { followToEnd } from '../../client/followToEnd.ts';
import { isTerminal, type Job, type JobRequest } from '../../contract/job.ts';
import type { CommandId } from '../../vscode/commandIds.ts';
import { isCancelled, showError, UserError } from '../../vscode/errors.ts';
import { showMessage, showShortly } from '../../vscode/messages.ts';
import { withProgress, type Report } from '../../vscode/progress.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { EndpointNode } from '../endpoints/endpointNode.ts';
import type { Services } from '../services.ts';

import type { JobDocuments } from './jobDocuments.ts';
import { historyKey, type JobHistoryStore } from './jobHistoryStore.ts';
import { outcomeOf, progressWords, timesWords } from './jobWords.ts';
import type { LastInputStore } from './lastInputStore.ts';
import { showJobDocument } from './showJobDocument.ts';

export interface JobServices extends Services {
  readonly history: JobHistoryStore;
  readonly lastInputs: LastInputStore;
  readonly documents: JobDocuments;
}

export interface JobRun {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly body: JobRequest;
}

export const ATTEMPT = 'Could not run the job';
const LOGS: CommandId = 'cloudCompute.logs.open';
/** How often the tree is brought up to date while a job waits for a worker, in seconds. */
const REFRESH_EVERY = 3;

/** Runs a job with visible progress until it has ended, shows it, and tells what its document does not. */
export async function runJob(services: JobServices, run: JobRun): Promise<void> {
  await services.lastInputs.put(run.endpointId, run.body);
  const title = shown`Job on “${run.endpointName}”`;
  const job = await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
    submitAndFollow(services, run, signal, report),
  );
  if (!job) {
    showShortly(shown`$(clock) ${title}: kept; it continues when the platform starts again`, 10_000);
    return;
  }
  await showJobDocument({ endpointId: run.endpointId, jobId: job.id });
  tellOutcome(services, run, job);
}

/** The job as it ended; undefined when the platform was stopped or left before that. */
async function submitAndFollow(
  services: JobServices,
  run: JobRun,
  signal: AbortSignal,
  report: Report,
): Promise<Job | undefined> {
  const { clock, connections, endpoints } = services;
  const { client, profile } = requireConnection(connections);
  const { endpointId } = run;
  report('submitting…');
  // Not with the signal: an aborted submission may have been accepted, and nobody could cancel that job.
  let job = await client.runJob({ endpointId, body: run.body });
  const submittedAt = clock.now();
  const see = recorder(services, run, historyKey(profile), submittedAt);
  see(job);
  if (isTerminal(job.status)) return job;

  const tell = () => {
    const snapshot = endpoints.find(endpointId);
    const elapsedMs = clock.now() - submittedAt;
    const [workers, maxWorkers] = [snapshot?.workers?.summary, snapshot?.endpoint.workers.max];
    report(progressWords({ job, elapsedMs, workers, maxWorkers }));
  };
  const ended = new AbortController();
  const ticking = everySecond(clock, ended.signal, (seconds) => {
    if (job.status === 'IN_QUEUE' && seconds % REFRESH_EVERY === 0) void endpoints.refresh();
    if (!signal.aborted) tell();
  });
  try {
    tell();
    job = await followToEnd({
      client,
      address: { endpointId, jobId: job.id },
      signal,
      mayRecover: () => connections.client === client,
      onJob: (seen) => {
        if (seen.status !== job.status) void endpoints.refresh();
        job = seen;
        see(job);
        if (!isTerminal(job.status)) tell();
      },
      onCancelling: () => report('cancelling…'),
    });
    see(job);
    return job;
  } catch (error) {
    if (isCancelled(error) || !(error instanceof ApiError)) throw error;
    // That the local platform stopped is told once, by its own feature.
    if (connections.client !== client) return undefined;
    throw lostFromSight(error);
  } finally {
    ended.abort();
    await ticking;
    void endpoints.refresh();
  }
}

/** Keeps document and history up to date with what is seen of a job. */
function recorder(
  { history, documents, log }: JobServices,
  { endpointId, endpointName }: JobRun,
  key: string,
  submittedAt: number,
): (job: Job) => void {
  let recorded: string | undefined;
  return (job) => {
    documents.update({ endpointId, jobId: job.id }, job);
    if (job.status === recorded) return;
    recorded = job.status;
    history
      .put(key, { id: job.id, endpointId, endpointName, submittedAt, status: job.status })
      .then(undefined, (error: unknown) => log.warn('The history of jobs could not be written', error));
  };
}

/** The error for an accepted job whose state can no longer be read. The platform still runs the job. */
function lostFromSight({ message }: ApiError): UserError {
  return new UserError(shown`it was accepted, but its state can no longer be read (${message})`, {
    label: 'Open Recent Job…',
    command: 'cloudCompute.jobs.openRecent',
  });
}

async function everySecond(clock: Clock, signal: AbortSignal, task: (seconds: number) => void): Promise<void> {
  try {
    for (let seconds = 1; ; seconds++) {
      await clock.sleep(1_000, signal);
      task(seconds);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function tellOutcome(services: JobServices, run: JobRun, job: Job): void {
  const outcome = outcomeOf(job, run.endpointName);
  if (!outcome) {
    showShortly(shown`$(pass) Job on “${run.endpointName}” ${timesWords(job)}`, 10_000);
    return;
  }
  const { severity, message } = outcome;
  const logs = 'Show Worker Logs';
  const again = 'Run Again';
  const { workerId } = job;
  const buttons = severity === 'information' ? [again] : [...(workerId === undefined ? [] : [logs]), again];
  // Not awaited: the command is done, whenever the message is answered.
  void showMessage(severity, message, ...buttons).then((chosen) => {
    if (chosen === again) void runJob(services, run).catch((error: unknown) => showError(services.log, error, ATTEMPT));
    if (chosen !== logs || workerId === undefined) return;
    const node: EndpointNode = { kind: 'worker', endpointId: run.endpointId, workerId };
    void vscode.commands.executeCommand(LOGS, node);
  });
}
