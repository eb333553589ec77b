import type { Bucket } from '../../../src/features/alerts/model/bucket.ts';
import { seededRandom } from '../../support/seededRandom.ts';

/* A day of an ordinary endpoint, simulated second by second. */

const STEP_S = 10;
const DAY_S = 86_400;
const MAX_WORKERS = 4;
const COLD_START_S = 25;
const IDLE_TIMEOUT_S = 60;
const DEPLOYMENTS_S: readonly number[] = [9 * 3_600, 11.5 * 3_600, 14 * 3_600, 17 * 3_600];
const USD_PER_HOUR = 0.36;

interface Worker {
  readyAt: number;
  idleSince: number;
  job: { readonly submittedAt: number; readonly startedAt: number; readonly endsAt: number } | undefined;
}

const noCounts = () => ({ succeeded: 0, failed: 0, taken: 0, crashes: 0, waited: 0, running: 0, present: 0 });
const noDurations = (): Record<'endToEnd' | 'queueDelay' | 'execution' | 'coldStart', number[]> => ({
  ...{ endToEnd: [], queueDelay: [], execution: [], coldStart: [] },
});

/** Returns the arrivals per second at an hour: none at night, and most around noon. */
function rateAt(hour: number): number {
  return hour < 6 || hour >= 23 ? 0.0003 : 0.02 + 0.15 * Math.max(0, Math.sin(((hour - 6) / 17) * Math.PI));
}

/**
 * Returns the measurements of a day with random arrivals, failed jobs, single crashes, deployments, idle nights, and cold starts. The
 * platform does not run for ten minutes in the evening.
 */
export function ordinaryDay(seed: number): Bucket[] {
  const random = seededRandom(seed);
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const waiting: number[] = [];
  let workers: Worker[] = [];
  const buckets: Bucket[] = [];
  let counts = noCounts();
  let durations = noDurations();
  for (let now = 0; now < DAY_S; now++) {
    if (random() < rateAt(now / 3_600)) waiting.push(now);
    // A new release replaces all workers, whose jobs run again.
    if (DEPLOYMENTS_S.includes(now)) {
      for (const { job } of workers) if (job) waiting.unshift(job.submittedAt);
      workers = [];
    }
    const crashed = workers.find(({ job }) => job !== undefined && random() < 1 / 8_000);
    if (crashed?.job) {
      counts.crashes++;
      waiting.unshift(crashed.job.submittedAt);
      workers = workers.filter((one) => one !== crashed);
    }
    for (const worker of workers) {
      const { job } = worker;
      if (!job || job.endsAt > now) continue;
      if (random() < 0.03) counts.failed++;
      else counts.succeeded++;
      durations.endToEnd.push(now - job.submittedAt);
      durations.execution.push(now - job.startedAt);
      worker.job = undefined;
      worker.idleSince = now;
    }
    for (const worker of workers) {
      if (worker.job || worker.readyAt > now) continue;
      const submittedAt = waiting.shift();
      if (submittedAt === undefined) continue;
      counts.taken++;
      durations.queueDelay.push(now - submittedAt);
      worker.job = { submittedAt, startedAt: now, endsAt: now + 1 + Math.min(60, exponential(8)) };
    }
    workers = workers.filter((one) => one.job ?? (one.readyAt > now || now - one.idleSince < IDLE_TIMEOUT_S));
    const starting = workers.filter(({ readyAt }) => readyAt > now).length;
    if (waiting.length > starting && workers.length < MAX_WORKERS) {
      workers.push({ readyAt: now + COLD_START_S, idleSince: now + COLD_START_S, job: undefined });
      durations.coldStart.push(COLD_START_S);
    }
    counts.waited += waiting.length;
    counts.running += workers.filter(({ job }) => job).length;
    counts.present += workers.length;
    if ((now + 1) % STEP_S !== 0) continue;
    const p99 = Object.entries(durations).flatMap(([of, all]) => (all.length > 0 ? [[of, Math.max(...all)]] : []));
    const isMeasured = now < 20 * 3_600 || now >= 20 * 3_600 + 600;
    if (isMeasured)
      buckets.push({
        ...{ start: (now + 1 - STEP_S) * 1_000, end: (now + 1) * 1_000 },
        ...{ succeeded: counts.succeeded, failed: counts.failed, crashes: counts.crashes, unhealthy: 0 },
        p99: Object.fromEntries(p99) as Bucket['p99'],
        waiting: counts.waited > 0,
        progress: counts.taken + counts.succeeded + counts.failed > 0,
        running: counts.running / STEP_S,
        spendUsd: (counts.present / 3_600) * USD_PER_HOUR,
      });
    counts = noCounts();
    durations = noDurations();
  }
  return buckets;
}

export const MAX_USD_PER_HOUR = MAX_WORKERS * USD_PER_HOUR;
