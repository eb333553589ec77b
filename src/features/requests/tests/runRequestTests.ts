import * as l10n from '@vscode/l10n';
import pMap from 'p-map';
import * as vscode from 'vscode';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { explain } from '../../../kit/explain.ts';
import { appendTestOutput, testMessage } from '../../../kit/testing.ts';
import { foreign, shown } from '../../../text/shownText.ts';
import { mismatchWords } from '../../jobs/model/expectations/mismatch.ts';
import { testRequest } from '../actions/testRequest.ts';
import type { ResponseExpectation } from '../model/expectation.ts';
import type { RouteServices } from '../routeServices.ts';
import { maySend } from '../send/maySend.ts';
import { readRequest, requestFiles } from '../send/readRequest.ts';

const CONCURRENCY = 4;
const MAX_MESSAGE = 1_000;

/** Sends the requests of tests to the current connection, and reports their results. A request that cannot be sent has an error. */
export async function runRequestTests(
  services: RouteServices,
  run: vscode.TestRun,
  items: readonly vscode.TestItem[],
): Promise<void> {
  requireConnection(services.connections);
  const stop = new AbortController();
  const canceled = run.token.onCancellationRequested(() => stop.abort());
  for (const item of items) run.enqueued(item);
  try {
    await pMap(items, (item) => runOne(services, run, item, stop.signal), { concurrency: CONCURRENCY });
  } finally {
    canceled.dispose();
  }
}

async function runOne(
  services: RouteServices,
  run: vscode.TestRun,
  item: vscode.TestItem,
  signal: AbortSignal,
): Promise<void> {
  const { connections, endpoints } = services;
  const location = item.uri && item.range && new vscode.Location(item.uri, item.range);
  try {
    signal.throwIfAborted();
    if (!item.uri) return;
    const found: { expect?: ResponseExpectation | undefined } = {};
    const request = await readRequest(services, item.uri, (blocks) => {
      const block = blocks[Number(item.id)];
      found.expect = block?.expect;
      return block;
    });
    const { client, profile } = requireConnection(connections);
    if (!(await maySend(services, profile, request))) {
      run.skipped(item);
      return;
    }
    run.started(item);
    const timeout = endpoints.find(request.endpointId)?.endpoint.timeout ?? DEFAULT_TIMEOUT_MS;
    const files = requestFiles(item.uri);
    const result = await testRequest(client, { request, expect: found.expect ?? {}, files, timeout, signal });
    const { mismatches, head, durationMs } = result;
    const worker = head?.workerId === undefined ? l10n.t('no worker') : l10n.t`worker ${head.workerId}`;
    const words = mismatches.map((one) => mismatchWords(one));
    const summary = l10n.t`${item.label}: ${head?.status ?? '-'} (${worker}, endpoint ${request.endpointName})`;
    appendTestOutput(run, [summary, ...words.map((one) => `  ${one}`)], item);
    if (words.length === 0) run.passed(item, durationMs);
    else
      run.failed(
        item,
        words.map((one) => testMessage({ message: foreign(one, MAX_MESSAGE), location })),
        durationMs,
      );
  } catch (error) {
    if (signal.aborted) run.skipped(item);
    else {
      const message = explain(error, shown`The request could not be sent`);
      run.errored(item, testMessage({ message, location }));
      appendTestOutput(run, [message.text], item);
    }
  }
}

/** Timeout of an endpoint that was deleted meanwhile, in ms. */
const DEFAULT_TIMEOUT_MS = 300_000;
