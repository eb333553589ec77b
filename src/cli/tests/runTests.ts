import type { Client } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  findStartFailure,
  type StartFailure,
  startFailureWords,
} from '../../features/jobs/expectations/actions/findStartFailure.ts';
import { readJobLog, logLines } from '../../features/jobs/expectations/actions/readJobLog.ts';
import { runExpectations, type ExpectationOutcome } from '../../features/jobs/expectations/actions/runExpectation.ts';
import { readLocalText } from '../localFiles.ts';
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
  const startedAt = new Map<SuiteTest, number>();
  await runExpectations(client, tests, {
    concurrency,
    prepare: (test) => {
      const endpoint = endpointOf(test);
      startedAt.set(test, client.context.clock.now());
      const own = stops.get(endpoint.id)?.signal;
      return {
        endpointId: endpoint.id,
        executionTimeout: endpoint.timeout,
        file: test.file,
        source: { uri: test.uri, readText: readLocalText },
        signal: own ? AbortSignal.any([signal, own]) : signal,
        limitMs,
      };
    },
    ended: async (test, outcome) => {
      const endpoint = endpointOf(test);
      const since = startedAt.get(test) ?? 0;
      const failure = failures.get(endpoint.id);
      // A canceled test of another endpoint has no result of its own.
      if (outcome.kind === 'canceled' && !failure) return;
      onResult(test, await resultOf(client, test, { endpoint, outcome, since, failure }));
    },
  });
  done.abort();
  await watched;
  return stopReason;
}

interface Ended {
  readonly endpoint: Endpoint;
  readonly outcome: ExpectationOutcome;
  /** Time of the submission, in ms since the epoch. */
  readonly since: number;
  readonly failure: StartFailure | undefined;
}

async function resultOf(
  client: Client,
  { path }: SuiteTest,
  { endpoint, outcome, since, failure }: Ended,
): Promise<TestResult> {
  const base = { path, endpoint: endpoint.name, mismatches: [], durationMs: client.context.clock.now() - since };
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
        reason: `the job could not run: ${(outcome.error as Error).message}`,
        log: [],
      };
    case 'ran': {
      const { job, mismatches, durationMs } = outcome;
      const { id: jobId, workerId } = job;
      const ids = { jobId, ...(workerId !== undefined && { workerId }) };
      if (mismatches.length === 0) return { ...base, ...ids, outcome: 'passed', durationMs, log: [] };
      const log = workerId === undefined ? [] : await readJobLog(client, { endpointId: endpoint.id, workerId, since });
      return { ...base, ...ids, outcome: 'failed', mismatches, durationMs, log: logLines(log) };
    }
  }
}
