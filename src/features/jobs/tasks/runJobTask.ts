import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { outcomeOf, stateWords, timesWords } from '../../../account/jobWords.ts';
import type { Job } from '../../../contract/job.ts';
import { dataSize } from '../../../text/quantities.ts';
import { runToEnd } from '../actions/submitJob.ts';
import { endpointOfFile } from '../chooseEndpoint.ts';
import { readJobFileFrom } from '../jobFiles.ts';
import { sizeProblem } from '../model/jobInput.ts';
import { actionServices, type ActionSources, type JobServices } from '../jobServices.ts';
import { watching, type JobRun } from '../run/runJob.ts';
import { errorText, hasTraceback } from '../results/errorText.ts';
import { outputText } from '../model/jobTask.ts';
import type { Print, TaskWork } from './taskTerminal.ts';

/** A job file to run. */
export interface JobTask {
  readonly uri: vscode.Uri;
  /** Name of the connection that must be the current one. Undefined: any connection. */
  readonly connection: string | undefined;
}

type TaskServices = ActionSources & Pick<JobServices, 'context' | 'endpoints' | 'liveValues' | 'manifests'>;

/**
 * Runs a job file, and prints its states, its stream, and its output. Succeeds if the job completes. The end of the task cancels the job, like
 * the cancel button of a running job.
 */
export function runJobTask(services: TaskServices, task: JobTask): TaskWork {
  return async (print, signal) => {
    await services.connections.load();
    const run = await prepared(services, task);
    if (!run) {
      print(l10n.t('The job was not run.'));
      return false;
    }
    print(l10n.t`Running a job on “${run.endpointName}”…`);
    return follow(services, run, print, signal);
  };
}

/** Returns the job to submit, or undefined if the user declines a question. */
async function prepared(services: TaskServices, { uri, connection }: JobTask): Promise<JobRun | undefined> {
  const { profile } = requireConnection(services.connections);
  requireNamed(profile, connection);
  services.liveValues.request();
  const { file, body } = await readJobFileFrom(uri);
  const problem = sizeProblem(body, 'run');
  if (problem)
    throw new UserError(
      l10n.t`the request has ${dataSize(problem.bytes)}, and the platform accepts at most ${dataSize(problem.limit)}`,
      { label: l10n.t('Run Job and Wait'), command: 'cloudCompute.jobs.runAndWait', argument: uri },
    );
  const snapshot = await endpointOfFile(services, { uri, endpoint: file.endpoint });
  if (!snapshot) return undefined;
  const { id: endpointId, name: endpointName } = snapshot.endpoint;
  const pricePerHour = workerPrice(snapshot.endpoint, services.liveValues.current);
  const requests = { endpointName, count: 1, price: pricePerHour };
  if (!(await mayRunOn(services.context.workspaceState, profile, requests))) return undefined;
  return { connectionId: profile.id, endpointId, endpointName, pricePerHour, body, file: uri.toString() };
}

function requireNamed({ name }: Profile, wanted: string | undefined): void {
  if (wanted === undefined || wanted === name) return;
  throw new UserError(l10n.t`the task requires the connection “${wanted}”, and the current one is “${name}”`, {
    label: l10n.t('Switch Connection'),
    command: 'cloudCompute.connections.switch',
  });
}

async function follow(services: TaskServices, run: JobRun, print: Print, signal: AbortSignal): Promise<boolean> {
  const { endpoints } = services;
  const watch = watching(services, run, () => undefined);
  let hasChunks = false;
  let isAccepted = false;
  let last = '';
  const job = await runToEnd(run, actionServices(services, run.connectionId), {
    ...{ kind: 'run', signal },
    onState: (state) => {
      if (!isAccepted) print(l10n.t`The platform accepted job ${state.id}.`);
      isAccepted = true;
      watch.onState(state);
    },
    onWaiting: (state, elapsedMs) => {
      watch.onWaiting(state, elapsedMs);
      const { endpoint, workers } = endpoints.find(run.endpointId) ?? {};
      const words = stateWords({ job: state, workers: workers?.summary, maxWorkers: endpoint?.workers.max });
      // Each state is printed once.
      if (words !== last) print(words);
      last = words;
    },
    onCanceling: () => print(l10n.t('Canceling the job…')),
    onChunks: (outputs) => {
      hasChunks = true;
      for (const output of outputs) print(outputText(output));
    },
  }).finally(() => void endpoints.refresh());
  if (job) return printEnd(job, run, hasChunks, print);
  print(l10n.t('The platform was disconnected. The job is saved, and resumes when the platform starts again.'));
  return false;
}

function printEnd(job: Job, { endpointName }: JobRun, hasChunks: boolean, print: Print): boolean {
  if (hasTraceback(job.error)) print(errorText({ job, endpoint: endpointName, directory: undefined }));
  if (job.output !== undefined && job.output !== null && !hasChunks) print(outputText(job.output));
  print(outcomeOf(job, endpointName)?.message.text ?? l10n.t`The job ${timesWords(job)}.`);
  return job.status === 'COMPLETED';
}
