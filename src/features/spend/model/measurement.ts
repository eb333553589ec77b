import type { ServerlessBillingReport } from '../../../contract/billingReports.ts';
import type { EndpointHealth } from '../../../contract/job.ts';
import { sumOf } from '../../../account/prices/amounts.ts';

/* Measured times of jobs. */

/** A measured time of one job. */
export type Measurement =
  /** Mean run time of completed jobs. It includes neither the start of a worker nor its idle time. */
  | {
      readonly kind: 'history';
      readonly seconds: number;
      readonly jobs: number;
      readonly coldStart: ColdStart | undefined;
    }
  /** Metered time of the workers, divided by the number of their jobs. It includes starts and idle time. */
  | { readonly kind: 'meter'; readonly seconds: number; readonly jobs: number; readonly billedSeconds: number };

/** Median wait of the jobs that waited for a worker to start. */
export interface ColdStart {
  readonly seconds: number;
  readonly jobs: number;
}

interface PastJob {
  readonly status: string;
  /** Time in the queue and execution time, in ms. */
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
}

/** Minimum wait of a job that counts as a wait for a new worker, in ms. */
const LEAST_COLD_START_MS = 1_000;

/** Returns the mean run time of the completed jobs. Undefined without completed jobs. */
export function measureHistory(jobs: readonly PastJob[]): Measurement | undefined {
  const completed = jobs.filter(({ status }) => status === 'COMPLETED');
  const times = completed.flatMap(({ executionTime }) => executionTime ?? []);
  if (times.length === 0) return undefined;
  const seconds = times.reduce((sum, time) => sum + time, 0) / times.length / 1000;
  const waits = completed.flatMap(({ delayTime = 0 }) => (delayTime >= LEAST_COLD_START_MS ? [delayTime] : []));
  const coldStart = waits.length === 0 ? undefined : { seconds: median(waits) / 1000, jobs: waits.length };
  return { kind: 'history', seconds, jobs: times.length, coldStart };
}

/**
 * Returns the metered time per job. Undefined without jobs or metered time.
 *
 * @param usdPerHour price at which the platform meters a worker
 */
export function measureMeter(
  { records }: Pick<ServerlessBillingReport, 'records'>,
  { jobs }: Pick<EndpointHealth, 'jobs'>,
  usdPerHour: number,
): Measurement | undefined {
  const amount = sumOf(records.flatMap(({ gpuAmount, cpuAmount }) => [gpuAmount, cpuAmount]));
  const ended = jobs.completed + jobs.failed;
  if (ended === 0 || amount <= 0 || usdPerHour <= 0) return undefined;
  const billedSeconds = Math.round((amount / usdPerHour) * 3_600);
  return { kind: 'meter', seconds: billedSeconds / ended, jobs: ended, billedSeconds };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 0 ? sorted.slice(middle - 1) : sorted.slice(middle, middle + 1);
  return sorted.length % 2 === 0 ? (low + high) / 2 : low;
}
