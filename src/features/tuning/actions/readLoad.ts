import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { controlClientOf } from '../../../client/controlClient.ts';
import type { CallOptions } from '../../../client/request.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { loadOfMetrics, loadOfOwnJobs, type OwnJob } from '../model/measuredLoad.ts';
import type { TunedLoad } from '../model/tunedLoad.ts';

const DAY_MS = 86_400_000;

/** Periods that are tried in turn, with the finest buckets that a platform keeps for them. */
const PERIODS = [
  { ms: 2 * DAY_MS, stepS: 60 },
  { ms: 30 * DAY_MS, stepS: 3_600 },
] as const;

/** What the editor knows about an endpoint of a platform that does not measure. */
export interface OwnObservations {
  /** Reads the jobs of the endpoint that the user ran. */
  readonly jobs: () => Promise<readonly OwnJob[]>;
}

/**
 * Reads the load of an endpoint: what a platform measured in the last two days or else in the last month, or the jobs that the user ran from
 * this editor. Undefined if neither knows a job.
 *
 * @throws ApiError if the platform cannot be reached, and the reason of the signal
 */
export async function readLoad(
  client: Client,
  { id: endpointId }: Pick<Endpoint, 'id'>,
  own: OwnObservations | undefined,
  signal: AbortSignal,
): Promise<TunedLoad | undefined> {
  try {
    const measured = await readMeasured(client, endpointId, { signal, waits: 0 });
    if (measured) return measured;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiError) || NOT_REACHED.includes(error.kind)) throw error;
  }
  return own && loadOfOwnJobs(await own.jobs(), client.context.clock.now());
}

/** Other errors mean that the platform does not measure. */
const NOT_REACHED: readonly ApiError['kind'][] = ['canceled', 'network', 'timeout', 'rateLimited'];

async function readMeasured(client: Client, endpointId: string, options: CallOptions): Promise<TunedLoad | undefined> {
  const metrics = controlClientOf(client.context);
  const now = millisecondsOf((await metrics.getClock({}, options)).now);
  for (const { ms, stepS } of PERIODS) {
    const period = { start: new Date(now - ms).toISOString(), end: new Date(now + stepS * 1_000).toISOString() };
    const [measured, { jobs }] = await Promise.all([
      metrics.getEndpointMetrics({ endpointId, query: { ...period, step: stepS } }, options),
      metrics.listEndedJobs({ endpointId, query: period }, options),
    ]);
    const load = loadOfMetrics(measured, jobs, now);
    if (load) return load;
  }
  return undefined;
}
