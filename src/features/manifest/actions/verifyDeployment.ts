import { ApiError, isTemporary } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { WorkerList } from '../../../contract/worker.ts';
import { diagnose } from '../../../account/diagnosis/diagnose.ts';
import type { Diagnosis } from '../../../account/diagnosis/diagnosis.ts';
import { readRelevantLogs } from '../../../account/diagnosis/readRelevantLogs.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import type { Verification } from '../model/deployment/verification.ts';
import { fetchEndpointDetails } from '../../../account/endpoints/fetchEndpointDetails.ts';

/* Watches an endpoint after its deployment until it works, or until the reason is known why it does not. */

export interface VerifyOptions {
  readonly platform: 'local' | 'hosted';
  /** Maximum time, in ms. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called if the reason changes for which the endpoint is not ready yet. */
  readonly onState?: (diagnosis: Diagnosis) => void;
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
    return await watch(client, endpoint, options);
  } catch (error) {
    if (options.signal.aborted) return { outcome: 'interrupted' };
    if (error instanceof ApiError) return { outcome: 'unread', error };
    throw error;
  }
}

async function watch(
  client: Client,
  endpoint: Endpoint,
  { platform, limitMs, signal, onState = () => undefined }: VerifyOptions,
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
      const up = workersUp(snapshot);
      if (up > 0) return { outcome: 'ready', workers: up };
      const { min, max } = snapshot.endpoint.workers;
      if (min === 0 && snapshot.workers?.summary.total === 0) return { outcome: 'accepted', isPaused: max === 0 };
      const logs = await readRelevantLogs(client, snapshot, signal);
      signal.throwIfAborted();
      const diagnosis = diagnose({ snapshot, logs, platform, now: clock.now() });
      failures = isFailure(diagnosis) ? failures + 1 : 0;
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

function workersUp({ workers }: EndpointSnapshot): number {
  return (workers?.summary.running ?? 0) + (workers?.summary.idle ?? 0);
}

/** Returns whether the cause does not pass without a change. Missing hardware can become free. */
function isFailure({ severity, cause }: Diagnosis): boolean {
  return severity === 'trouble' && cause !== 'throttled' && cause !== 'noCapacity' && cause !== 'unknown';
}
