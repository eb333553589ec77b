import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection, requireConnectionOf } from '../../../account/connections/requireConnection.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { submitAndFollow, type JobObserver } from '../actions/submitAndFollow.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { endpointOfFile } from '../endpointOfFile.ts';
import { readJobFileFrom } from '../jobFiles.ts';
import { outcomeOf, stateWords, timesWords } from '../../../account/jobWords.ts';
import { sizeProblem } from '../model/requestSize.ts';
import type { JobRun, JobServices } from '../run/jobServices.ts';
import { JobWatch } from '../run/jobWatch.ts';
import { errorText, hasTraceback } from '../results/errorText.ts';
import type { Job } from '../../../contract/job.ts';
import { dataSize } from '../../../text/quantities.ts';
import { outputText } from './model/terminalText.ts';
import type { Print, TaskWork } from './taskTerminal.ts';

/** A job file to run. */
export interface JobTask {
  readonly uri: vscode.Uri;
  /** Name of the connection that must be the current one. Undefined: any connection. */
  readonly connection: string | undefined;
}

/**
 * Runs a job file, and prints its states, its stream, and its output. Succeeds if the job completes. The end of the task cancels the job, like
 * the cancel button of a running job.
 */
export function runJobTask(services: JobServices, task: JobTask): TaskWork {
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
async function prepared(services: JobServices, { uri, connection }: JobTask): Promise<JobRun | undefined> {
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

async function follow(services: JobServices, run: JobRun, print: Print, signal: AbortSignal): Promise<boolean> {
  const { connections, clock } = services;
  const { client } = requireConnectionOf(connections, run.connectionId);
  let hasChunks = false;
  const watch = new JobWatch(
    services,
    run,
    client,
    () => undefined,
    (outputs) => {
      hasChunks = true;
      for (const output of outputs) print(outputText(output));
    },
  );
  const isConnected = () => connections.client === client;
  const observer = printing(services, run, watch, print);
  try {
    const job = await submitAndFollow(run, { client, clock, signal, isConnected, observer, record: watch.record });
    await watch.end(job);
    if (job) return printEnd(job, run, hasChunks, print);
    print(l10n.t('The platform was disconnected. The job is saved, and resumes when the platform starts again.'));
    return false;
  } finally {
    watch.release();
  }
}

/** Prints each state of a job once. */
function printing({ endpoints }: JobServices, { endpointId }: JobRun, watch: JobWatch, print: Print): JobObserver {
  let last = '';
  return {
    seen: (job) => {
      if (last === '') print(l10n.t`The platform accepted job ${job.id}.`);
      watch.seen(job);
    },
    waiting: (job, elapsedMs) => {
      watch.waiting(job, elapsedMs);
      const { endpoint, workers } = endpoints.find(endpointId) ?? {};
      const words = stateWords({ job, workers: workers?.summary, maxWorkers: endpoint?.workers.max });
      if (words !== last) print(words);
      last = words;
    },
    canceling: () => print(l10n.t('Canceling the job…')),
  };
}

function printEnd(job: Job, { endpointName }: JobRun, hasChunks: boolean, print: Print): boolean {
  if (hasTraceback(job.error)) print(errorText({ job, endpoint: endpointName, directory: undefined }));
  if (job.output !== undefined && job.output !== null && !hasChunks) print(outputText(job.output));
  print(outcomeOf(job, endpointName)?.message.text ?? l10n.t`The job ${timesWords(job)}.`);
  return job.status === 'COMPLETED';
}
