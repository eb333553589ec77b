import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { JobFile } from '../../../contract/jobFile.ts';
import { explain } from '../../../kit/explain.ts';
import { appendTestOutput, testMessage } from '../../../kit/testing.ts';
import { foreign, shown, type Showable } from '../../../text/shownText.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { requireConnection, type Current } from '../../../account/connections/requireConnection.ts';
import { requireTrust, sourceOf } from '../../../account/consent/workspaceTrust.ts';
import type { PaidRequests } from '../../../account/consent/confirmHosted.ts';
import { timesWords } from '../../../account/jobWords.ts';
import { readWorkerLogSince, logLines } from '../actions/workerLogSince.ts';
import { restartWorkers, runExpectations, type ExpectationResult } from '../expectations/actions/runExpectation.ts';
import { differenceOf } from '../model/expectations/difference.ts';
import { type JsonPath, mismatchWords } from '../model/expectations/mismatch.ts';
import { jobFileName } from '../jobFiles.ts';
import { readJobFile } from '../model/checkJobFile.ts';
import { parseCommentedJson } from '../model/positionedJson.ts';
import { readWorkspaceManifests, targetOf } from './jobTestTargets.ts';
import { rangeIn, readText, textOf } from './jobTestTree.ts';

export interface JobTestServices {
  readonly connections: Current<Client, Profile>;
  /** Asks before jobs are sent to a hosted platform. */
  readonly mayRun: (
    profile: Profile,
    requests: Omit<PaidRequests, 'price'>,
    endpoints: readonly Endpoint[],
  ) => Promise<boolean>;
}

export interface JobTestRunOptions {
  /** Tests whose endpoints replace their workers first, because the files of the worker have changed. */
  readonly restart?: ReadonlySet<vscode.TestItem>;
}

interface PreparedTest {
  readonly item: vscode.TestItem;
  readonly uri: vscode.Uri;
  readonly text: string;
  readonly file: JobFile;
  readonly endpoint: Endpoint;
}

const MAX_MESSAGE = 1_000;

/**
 * Runs tests on the current connection, and reports their results. A test that cannot run has an error with the reason.
 *
 * @returns the error that kept all tests from running, or undefined
 */
export async function runJobTests(
  services: JobTestServices,
  run: vscode.TestRun,
  items: readonly vscode.TestItem[],
  options: JobTestRunOptions = {},
): Promise<unknown> {
  const stop = new AbortController();
  const canceled = run.token.onCancellationRequested(() => stop.abort());
  if (run.token.isCancellationRequested) stop.abort();
  for (const item of items) run.enqueued(item);
  const left = new Set(items);
  try {
    await runAll(services, run, left, { ...options, signal: stop.signal });
    return undefined;
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    const message = explain(error, l10n.t('Could not run the test'));
    for (const item of left) run.errored(item, testMessage({ message, location: startOf(item) }));
    appendTestOutput(run, [message.text]);
    return error;
  } finally {
    if (stop.signal.aborted) for (const item of left) run.skipped(item);
    canceled.dispose();
  }
}

async function runAll(
  { connections, mayRun }: JobTestServices,
  run: vscode.TestRun,
  left: Set<vscode.TestItem>,
  { restart, signal }: JobTestRunOptions & { readonly signal: AbortSignal },
): Promise<void> {
  for (const { uri } of left)
    if (uri) requireTrust({ source: sourceOf(uri), process: undefined, deed: l10n.t('running tests') });
  const { client, profile } = requireConnection(connections);
  const [manifests, endpoints] = await Promise.all([
    readWorkspaceManifests(),
    listAll(client, 'listEndpoints', {}, 'endpoints', { signal }),
  ]);
  const refuse = (item: vscode.TestItem, message: Showable, location = startOf(item)): void => {
    left.delete(item);
    run.errored(item, testMessage({ message, location }));
    appendTestOutput(run, [shown`${item.label}: ${message}`.text], item);
  };
  const prepared: PreparedTest[] = [];
  for (const item of [...left]) {
    const { uri } = item;
    const text = uri && (await textOf(uri));
    if (uri === undefined || text === undefined) {
      refuse(item, l10n.t('The file cannot be read.'));
      continue;
    }
    const read = readJobFile(text);
    if (!read.file) {
      const span = { start: read.offset, end: read.offset };
      refuse(item, shown`The file is invalid: ${read.problem}`, new vscode.Location(uri, rangeIn(text, span)));
      continue;
    }
    const { file } = read;
    const target = targetOf(uri, file, manifests, { endpoints, connection: profile.name });
    if (target.endpoint) prepared.push({ item, uri, text, file, endpoint: target.endpoint });
    else refuse(item, target.problem, locationOf(uri, text, file.endpoint === undefined ? ['expect'] : ['endpoint']));
  }
  if (prepared.length === 0) return;
  const used = [...new Map(prepared.map(({ endpoint }) => [endpoint.id, endpoint])).values()];
  const [first, ...others] = used;
  const endpointName = others.length > 0 ? l10n.t`${first?.name ?? ''} and ${others.length} more` : (first?.name ?? '');
  if (!(await mayRun(profile, { endpointName, count: prepared.length }, used))) {
    for (const { item } of prepared) {
      left.delete(item);
      run.skipped(item);
    }
    return;
  }
  const outdated = prepared.filter(({ item }) => restart?.has(item)).map(({ endpoint }) => endpoint);
  for (const endpoint of new Set(outdated)) await restartWorkers(client, endpoint);
  const submittedAt = new Map<vscode.TestItem, number>();
  await runExpectations(client, prepared, {
    prepare: ({ item, uri, file, endpoint }) => {
      if (!signal.aborted) run.started(item);
      submittedAt.set(item, client.context.clock.now());
      return {
        endpointId: endpoint.id,
        executionTimeout: endpoint.timeout,
        file,
        source: { uri: uri.toString(), readText },
        signal,
        mayRecover: () => connections.client === client,
      };
    },
    ended: async (test, outcome) => {
      const { item } = test;
      // Canceled tests are skipped at the end of the run.
      if (outcome.kind === 'canceled') return;
      left.delete(item);
      if (outcome.kind === 'error') {
        refuse(item, explain(outcome.error, shown`The job on “${test.endpoint.name}” could not run`));
        return;
      }
      const since = submittedAt.get(item) ?? 0;
      await report(client, run, test, { ...outcome, since, signal });
    },
  });
}

/** Reports the result of a test, with the log of the worker if the test failed. */
async function report(
  client: Client,
  run: vscode.TestRun,
  { item, uri, text, file, endpoint }: PreparedTest,
  {
    job,
    mismatches,
    durationMs,
    since,
    signal,
  }: ExpectationResult & { readonly since: number; readonly signal: AbortSignal },
): Promise<void> {
  const { id, workerId } = job;
  const worker = workerId === undefined ? l10n.t('no worker') : l10n.t`worker ${workerId}`;
  const name = jobFileName(uri);
  appendTestOutput(
    run,
    [l10n.t`${name}: ${timesWords(job)} (request ${id}, ${worker}, endpoint ${endpoint.name})`],
    item,
  );
  if (mismatches.length === 0) {
    run.passed(item, durationMs);
    return;
  }
  const log =
    workerId === undefined
      ? []
      : await readWorkerLogSince(client, { endpointId: endpoint.id, workerId, since, signal });
  appendTestOutput(
    run,
    [...mismatches.map((one) => `  ${mismatchWords(one)}`), ...logLines(log).map((line) => `  | ${line}`)],
    item,
  );
  const compared = { expected: file.expect?.output, output: job.output };
  const messages = mismatches.map((mismatch) =>
    testMessage({
      message: foreign(mismatchWords(mismatch), MAX_MESSAGE),
      location: locationOf(uri, text, mismatch.member),
      difference: differenceOf(mismatch, compared),
    }),
  );
  run.failed(item, messages, durationMs);
}

function startOf({ uri, range }: vscode.TestItem): vscode.Location | undefined {
  return uri && new vscode.Location(uri, range ?? new vscode.Position(0, 0));
}

/** Returns the place of a member in a job file. For a missing member, the place of its nearest parent. */
function locationOf(uri: vscode.Uri, text: string, path: JsonPath): vscode.Location {
  const json = parseCommentedJson(text);
  if ('error' in json) return new vscode.Location(uri, new vscode.Position(0, 0));
  const { start } = json.keyOf(path) ?? json.spanOf(path);
  return new vscode.Location(uri, rangeIn(text, { start, end: Math.max(start, json.spanOf(path).end) }));
}
