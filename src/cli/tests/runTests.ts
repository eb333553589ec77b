import pMap from 'p-map';
import type { Client } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  findStartFailure,
  type StartFailure,
  startFailureWords,
} from '../../features/jobs/expectations/actions/findStartFailure.ts';
import { readWorkerLogSince, logLines } from '../../features/jobs/actions/workerLogSince.ts';
import { runExpectation } from '../../features/jobs/expectations/actions/runExpectation.ts';
import { sendTest, type SentTest as SentRequest } from '../../features/requests/actions/testRequest.ts';
import { filesBeside, readLocalText } from '../localFiles.ts';
import type { TestResult } from './report/result.ts';
import type { SuiteTest } from './suite.ts';

export interface TestFlags {
  readonly folder: string;
  readonly reporter: 'tap' | 'junit';
  /** File of the report. Undefined: standard output. */
  readonly output?: string | undefined;
  /** Pattern of the job files to run. Undefined: all. */
  readonly filter?: string | undefined;
  /** Time limit of each job, in ms. Undefined: the timeout of its endpoint, and time in the queue. */
  readonly limitMs?: number | undefined;
  readonly concurrency: number;
  readonly keepGoing: boolean;
}

export interface TestRun extends Pick<TestFlags, 'concurrency' | 'keepGoing' | 'limitMs'> {
  readonly client: Client;
  readonly tests: readonly SuiteTest[];
  readonly endpointOf: (test: SuiteTest) => Endpoint;
  readonly signal: AbortSignal;
  /** Called once for each test that ran or failed to run, in the order in which they end. */
  readonly onResult: (test: SuiteTest, result: TestResult) => void;
}

/**
 * Runs tests. A worker that cannot start ends the tests of its endpoint with its reason, and without `keepGoing` all tests.
 *
 * @returns the reason why tests did not run, or undefined
 */
export async function runTests(run: TestRun): Promise<string | undefined> {
  const { client, tests, endpointOf, signal, keepGoing, limitMs, concurrency, onResult } = run;
  const failures = new Map<string, StartFailure>();
  const stops = new Map(tests.map((test) => [endpointOf(test).id, new AbortController()]));
  const done = new AbortController();
  let stopReason: string | undefined;
  const watching = [...stops].map(async ([endpointId, stop]) => {
    const failure = await findStartFailure(client, endpointId, AbortSignal.any([signal, done.signal]));
    if (!failure) return;
    failures.set(endpointId, failure);
    stop.abort();
    if (keepGoing) return;
    stopReason = startFailureWords(failure.finding);
    for (const other of stops.values()) other.abort();
  });
  // A failure to read the workers also ends the jobs, which report it.
  const watched = Promise.allSettled(watching);
  const endpoints = [...new Set(tests.map(endpointOf))];
  await pMap(
    tests,
    async (test) => {
      const endpoint = endpointOf(test);
      const since = client.context.clock.now();
      const own = stops.get(endpoint.id)?.signal;
      const running = { endpoint, endpoints, limitMs, signal: own ? AbortSignal.any([signal, own]) : signal };
      const outcome = await outcomeOf(client, test, running);
      const failure = failures.get(endpoint.id);
      // A canceled test of another endpoint has no result of its own.
      if (outcome.kind === 'canceled' && !failure) return;
      onResult(test, await resultOf(client, test, { endpoint, outcome, since, failure }));
    },
    { concurrency },
  );
  done.abort();
  await watched;
  return stopReason;
}

type Running = SentRequest & { readonly endpoint: Endpoint };

type Outcome =
  | (Pick<TestResult, 'mismatches' | 'durationMs' | 'jobId' | 'workerId'> & { readonly kind: 'ran' })
  | { readonly kind: 'canceled' }
  | { readonly kind: 'error'; readonly error: unknown };

async function outcomeOf(client: Client, test: SuiteTest, running: Running): Promise<Outcome> {
  try {
    if (test.kind === 'request') {
      const { head, ...result } = await sendTest(client, { ...test, files: filesBeside(test.uri) }, running);
      return { kind: 'ran', ...result, ...(head?.workerId !== undefined && { workerId: head.workerId }) };
    }
    const { endpoint, limitMs, signal } = running;
    const { job, ...result } = await runExpectation(client, {
      endpointId: endpoint.id,
      executionTimeout: endpoint.timeout,
      file: test.file,
      source: { uri: test.uri, readText: readLocalText },
      ...{ signal, limitMs },
    });
    return { kind: 'ran', ...result, jobId: job.id, ...(job.workerId !== undefined && { workerId: job.workerId }) };
  } catch (error) {
    return running.signal.aborted ? { kind: 'canceled' } : { kind: 'error', error };
  }
}

interface Ended {
  readonly endpoint: Endpoint;
  readonly outcome: Outcome;
  /** Time of the submission, in ms since the epoch. */
  readonly since: number;
  readonly failure: StartFailure | undefined;
}

async function resultOf(
  client: Client,
  test: SuiteTest,
  { endpoint, outcome, since, failure }: Ended,
): Promise<TestResult> {
  const base = {
    path: test.path,
    endpoint: endpoint.name,
    mismatches: [],
    durationMs: client.context.clock.now() - since,
  };
  switch (outcome.kind) {
    case 'canceled':
      return {
        ...base,
        outcome: 'error',
        reason: startFailureWords(failure?.finding),
        ...(failure && { workerId: failure.workerId }),
        log: logLines(failure?.log ?? []),
      };
    case 'error':
      return {
        ...base,
        outcome: 'error',
        reason: `${WHAT[test.kind]}: ${(outcome.error as Error).message}`,
        log: [],
      };
    case 'ran': {
      const { kind, ...result } = outcome;
      const { mismatches, workerId } = result;
      if (mismatches.length === 0) return { ...base, ...result, outcome: 'passed', log: [] };
      const log =
        workerId === undefined ? [] : await readWorkerLogSince(client, { endpointId: endpoint.id, workerId, since });
      return { ...base, ...result, outcome: 'failed', log: logLines(log) };
    }
  }
}

const WHAT = { job: 'the job could not run', request: 'the request could not be sent' } as const;
