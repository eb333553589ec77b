import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { controlClientOf } from '../../../client/controlClient.ts';
import type { CallOptions } from '../../../client/request.ts';
import { hardwareKey, NO_RUN_TIMES, type RunTimes } from '../../../account/hardware/runTimes.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { EndpointMetrics } from '../../../contract/control/controlMetrics.ts';
import type { Endpoint, UpdateEndpointBody } from '../../../contract/endpoint.ts';
import { rollbackTo } from '../model/deployment/rollback.ts';

const DAY_MS = 86_400_000;
/** Period whose jobs are measured. */
const PERIOD_MS = 7 * DAY_MS;
const STEP_S = 3_600;
/** Maximum number of releases whose jobs are read. Each takes a request. */
const MAX_RELEASES = 6;

/** A job that the user ran from this editor. Durations are ms. */
export interface PastJob {
  readonly status: string;
  readonly executionTime?: number | undefined;
}

/** Returns the mean run time of completed jobs, which is independent of the hardware. */
export function runTimesOfJobs(jobs: readonly PastJob[]): RunTimes {
  const times = jobs.filter(({ status }) => status === 'COMPLETED').flatMap(({ executionTime }) => executionTime ?? []);
  if (times.length === 0) return NO_RUN_TIMES;
  return { ...NO_RUN_TIMES, seconds: times.reduce((sum, time) => sum + time, 0) / times.length / 1_000 };
}

/**
 * Reads the run times of the last week from a platform that measures, as the local platform and that of a team do. Earlier releases tell the
 * run times on the hardware that the endpoint had then. Undefined if the platform does not measure, or has measured no job.
 *
 * @throws the reason of the signal
 */
export async function readRunTimes(
  client: Client,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<RunTimes | undefined> {
  if (endpoint.type === 'LOAD_BALANCER') return undefined;
  const options: CallOptions = { signal, retries: 0, waits: 0 };
  const metrics = controlClientOf(client.context);
  try {
    const now = millisecondsOf((await metrics.getClock({}, options)).now);
    const period = {
      start: new Date(now - PERIOD_MS).toISOString(),
      end: new Date(now + STEP_S * 1_000).toISOString(),
    };
    const read = (release?: number): Promise<EndpointMetrics> => {
      const query = { ...period, step: STEP_S, ...(release !== undefined && { release }) };
      return metrics.getEndpointMetrics({ endpointId: endpoint.id, query }, options);
    };
    const all = await read();
    const { execution } = all.total;
    if (!execution) return undefined;
    const first = all.points.find((point) => point.execution !== undefined);
    const days = first ? Math.max(1, (now - millisecondsOf(first.at)) / DAY_MS) : 1;
    const seconds = execution.sum / execution.count;
    return {
      seconds,
      jobsPerDay: execution.count / days,
      byHardware: await byHardware({ client, endpoint, seconds, read, options }),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

interface Reading {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly seconds: number;
  readonly read: (release: number) => Promise<EndpointMetrics>;
  readonly options: CallOptions;
}

async function byHardware({ client, endpoint, seconds, read, options }: Reading): Promise<ReadonlyMap<string, number>> {
  const { releases } = await client.listEndpointReleases({ id: endpoint.id }, options);
  const versions = releases.flatMap(({ version }) => version ?? []).slice(0, MAX_RELEASES);
  const keys = versions.map((version) => keyIn(endpoint, rollbackTo(endpoint, releases, version)?.body));
  const known = new Set(keys);
  if (known.size <= 1) {
    const key = keyIn(endpoint, undefined);
    return new Map(key === undefined ? [] : [[key, seconds]]);
  }
  const measured = await Promise.all(versions.map(read));
  const sums = new Map<string, { count: number; sum: number }>();
  measured.forEach(({ total: { execution } }, index) => {
    const key = keys[index];
    if (!execution || key === undefined) return;
    const { count = 0, sum = 0 } = sums.get(key) ?? {};
    sums.set(key, { count: count + execution.count, sum: sum + execution.sum });
  });
  return new Map([...sums].map(([key, { count, sum }]) => [key, sum / count]));
}

type Change = Pick<UpdateEndpointBody, 'gpu' | 'cpu'>;

/** Returns the hardware of the workers of a release. A platform that measures always provides the first choice. */
function keyIn({ gpu, cpu }: Endpoint, change: Change | undefined): string | undefined {
  const [pool] = change?.gpu?.pools ?? gpu?.pools ?? [];
  if (pool !== undefined) return hardwareKey({ kind: 'gpu', id: pool, count: change?.gpu?.count ?? gpu?.count ?? 1 });
  const [flavor] = change?.cpu ?? cpu ?? [];
  return flavor && hardwareKey({ kind: 'cpu', id: flavor.id, count: flavor.vcpuCount });
}
