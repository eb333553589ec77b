import type { LoadReport } from '../../../src/features/load/model/report.ts';

/** Returns the report of a load test with these values. */
export function report(changes: Partial<LoadReport> = {}): LoadReport {
  return {
    loadReport: 1,
    ...{ file: 'hello.job.json', platform: 'Local Platform', endpoint: { id: 'e1', name: 'hello' } },
    ...{ startedAt: '2026-01-01T00:00:00.000Z', seconds: 10, end: 'profile', throughput: 9.9 },
    profile: { kind: 'rate', rate: 10, rampTo: 10, seconds: 10, arrivals: 'constant', seed: 1 },
    counts: { due: 100, completed: 99, failed: 1, timedOut: 0, unanswered: 0, notSent: 0 },
    failures: { FAILED: 1 },
    latency: { p50: 100, p90: 200, p99: 300, p999: 300, max: 310, mean: 120 },
    ...{ queue: {}, execution: { mean: 80 }, lateness: {}, thresholds: [], changes: [], workers: 2 },
    cost: { usd: 0.5, perThousand: 5, pricePerHour: 1 },
    settings: { 'workers.min': 0, 'workers.max': 3 },
    ...changes,
  };
}
