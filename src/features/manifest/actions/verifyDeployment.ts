import * as l10n from '@vscode/l10n';
import { ApiError, isTemporary } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { WorkerList } from '../../../contract/worker.ts';
import { diagnose } from '../../../account/diagnosis/diagnose.ts';
import type { Diagnosis } from '../../../account/diagnosis/diagnosis.ts';
import { readRelevantLogs } from '../../../account/diagnosis/readRelevantLogs.ts';
import { type EndpointSnapshot, fetchEndpointDetails } from '../../../account/endpoints/endpointSnapshot.ts';
import type { Verification } from '../model/deployment/verification.ts';
import {
  runVerificationTest,
  type VerificationTest,
  type VerificationTests,
} from '../model/deployment/verificationTest.ts';

/* Watches an endpoint after its deployment until it works and has passed the test of its manifest, or until the reason is known why it does not. */

export interface VerifyOptions {
  readonly platform: 'local' | 'hosted';
  /** Maximum time, in ms. The test has a time limit of its own, which is as long unless its manifest has another one. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called if the reason changes for which the endpoint is not ready yet, or has not passed its test. */
  readonly onState?: (state: Pick<Diagnosis, 'headline'>) => void;
  /** The test that an endpoint must pass which is not paused. Default: none. */
  readonly test?: VerificationTest | undefined;
  /** Runs the test. */
  readonly tests?: VerificationTests;
}

const POLL_MS = 1_000;
/** Number of consecutive readings with a failure that count. The workers of an earlier version may still be ending in the first ones. */
const MIN_FAILURES = 3;

/** Watches an endpoint until it is ready, fails, or the time is over. Readings that fail for a passing reason are repeated. */
export async function verifyDeployment(
  client: Client,
  endpoint: Endpoint,
  options: VerifyOptions,
): Promise<Verification> {
  try {
    const ready = await watch(client, endpoint, options, isReady);
    const isUp = ready.outcome === 'ready' || (ready.outcome === 'accepted' && !ready.isPaused);
    const { test, tests } = options;
    return test && tests && isUp ? await runTest(client, endpoint, options, { test, tests }) : ready;
  } catch (error) {
    if (options.signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ApiError) return { outcome: 'unread', error };
    throw error;
  }
}

/** Returns the state of an endpoint that needs no further wait. */
function isReady({ endpoint, workers }: EndpointSnapshot): Verification | undefined {
  const up = workersUp(workers);
  if (up > 0) return { outcome: 'ready', workers: up };
  const { min, max } = endpoint.workers;
  return min === 0 && workers?.summary.total === 0 ? { outcome: 'accepted', isPaused: max === 0 } : undefined;
}

interface TestToRun {
  readonly test: VerificationTest;
  readonly tests: VerificationTests;
}

/**
 * Runs the test of an endpoint, and watches the workers in the meantime, because a test waits for a worker that cannot start. A worker of an
 * earlier version can take the job or a request, and then the test runs again.
 */
async function runTest(
  client: Client,
  endpoint: Endpoint,
  options: VerifyOptions,
  { test, tests }: TestToRun,
): Promise<Verification> {
  const { limitMs = options.limitMs } = test;
  const { clock } = client.context;
  const endsAt = clock.now() + limitMs;
  const timed = { ...test, limitMs, endsAt };
  for (;;) {
    options.onState?.({
      headline:
        test.kind === 'job'
          ? l10n.t('Waiting for the job of x-verify')
          : l10n.t('Waiting for the requests of x-verify'),
    });
    const ended = new AbortController();
    const failed = new AbortController();
    const watched = { ...options, limitMs: Infinity, signal: AbortSignal.any([options.signal, ended.signal]) };
    const watching = watch(client, endpoint, watched, () => undefined).then(
      (verification) => {
        failed.abort();
        return verification;
      },
      () => undefined,
    );
    try {
      const stop = AbortSignal.any([options.signal, failed.signal]);
      const { workerIds, ...verdict } = await runVerificationTest(tests, client, endpoint, timed, stop);
      if (!(await isStale(client, endpoint, workerIds, options.signal)))
        return verdict.differences.length === 0 ? { outcome: 'passed', ...verdict } : { outcome: 'unmet', ...verdict };
      if (clock.now() >= endsAt) return { outcome: 'replacing' };
      await clock.sleep(POLL_MS, stop);
    } catch (error) {
      const failure = failed.signal.aborted ? await watching : undefined;
      if (!failure) throw error;
      return failure;
    } finally {
      ended.abort();
      await watching;
    }
  }
}

/** Returns whether one of the workers has an earlier version of the endpoint. */
async function isStale(
  client: Client,
  { id }: Endpoint,
  workerIds: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (workerIds.length === 0) return false;
  const { workers } = await client.listEndpointWorkers({ id }, { signal });
  return workers.some((worker) => worker.isStale && workerIds.includes(worker.id));
}

/** Reads an endpoint until `until` returns a result, or it fails, or the time is over. */
async function watch(
  client: Client,
  endpoint: Endpoint,
  { platform, limitMs, signal, onState = () => undefined }: VerifyOptions,
  until: (snapshot: EndpointSnapshot) => Verification | undefined,
): Promise<Verification> {
  const { clock } = client.context;
  const end = clock.now() + limitMs;
  let failures = 0;
  let last: Diagnosis | undefined;
  let isReplacing = false;
  for (;;) {
    let problem: ApiError | undefined;
    try {
      const read = await readNewest(client, endpoint.id, signal);
      if (!read) return { outcome: 'gone' };
      const { snapshot } = read;
      ({ isReplacing } = read);
      const reached = until(snapshot);
      if (reached) return reached;
      const logs = await readRelevantLogs(client, snapshot, signal);
      signal.throwIfAborted();
      const diagnosis = diagnose({ snapshot, logs, platform, now: clock.now() });
      const canRun = workersUp(snapshot.workers) > 0 && diagnosis.cause !== 'notTaking';
      failures = isFailure(diagnosis) && !canRun ? failures + 1 : 0;
      if (failures >= MIN_FAILURES) return { outcome: 'failed', diagnosis };
      if (diagnosis.headline !== last?.headline) onState(diagnosis);
      last = diagnosis;
    } catch (error) {
      if (!(error instanceof ApiError && isTemporary(error))) throw error;
      problem = error;
    }
    const left = end - clock.now();
    if (left <= 0) {
      if (problem) throw problem;
      return isReplacing ? { outcome: 'replacing' } : { outcome: 'timedOut', diagnosis: last };
    }
    await clock.sleep(Math.min(POLL_MS, left), signal);
  }
}

interface Newest {
  /** The endpoint with the workers of its newest version. */
  readonly snapshot: EndpointSnapshot;
  /** Whether there are none yet, and workers of an earlier version are running jobs. */
  readonly isReplacing: boolean;
}

/** Reads an endpoint and the workers of its newest version. Undefined if the endpoint does not exist. @throws ApiError */
async function readNewest(client: Client, id: string, signal: AbortSignal): Promise<Newest | undefined> {
  try {
    const endpoint = await client.getEndpoint({ id }, { signal });
    const details = await fetchEndpointDetails(client, endpoint, { health: true, releases: false }, { signal });
    const workers = details.workers && newestOf(details.workers);
    const isBusy = details.workers?.workers.some(({ isStale, status }) => isStale && status === 'RUNNING') ?? false;
    const isReplacing = isBusy && workers?.summary.total === 0;
    return { snapshot: { endpoint, deleting: false, ...details, workers }, isReplacing };
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

/** Returns a list without the workers of earlier versions, which end once they are idle. */
function newestOf(list: WorkerList): WorkerList {
  const workers = list.workers.filter(({ isStale }) => !isStale);
  const count = (wanted: string) => workers.filter(({ status }) => status === wanted).length;
  const summary = {
    ...{ running: count('RUNNING'), idle: count('IDLE'), initializing: count('INITIALIZING') },
    ...{ throttled: count('THROTTLED'), unhealthy: count('UNHEALTHY'), total: workers.length },
  };
  return { ...list, workers, summary };
}

function workersUp(list: WorkerList | undefined): number {
  return (list?.summary.running ?? 0) + (list?.summary.idle ?? 0);
}

/** Returns whether the cause does not pass without a change. Missing hardware can become free. */
function isFailure({ severity, cause }: Diagnosis): boolean {
  return severity === 'trouble' && cause !== 'throttled' && cause !== 'noCapacity' && cause !== 'unknown';
}
