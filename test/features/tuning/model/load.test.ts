import assert from 'node:assert/strict';
import type { EndedJob, MetricsPoint, MetricsSummary } from '../../../../src/contract/control/controlMetrics.ts';
import { loadOfMetrics, loadOfOwnJobs } from '../../../../src/features/tuning/model/measuredLoad.ts';
import { meanOf, timesOfDistribution } from '../../../../src/features/tuning/model/times.ts';
import { loadOfFile, loadOfPattern, MAX_ARRIVALS } from '../../../../src/features/tuning/model/tunedLoad.ts';
import { loadSentences } from '../../../../src/features/tuning/model/words.ts';
import { report } from '../../load/loadReport.ts';

const START = Date.parse('2026-05-01T10:00:00Z');
const iso = (ms: number) => new Date(START + ms).toISOString();

function job(createdMs: number, startedMs: number | undefined, finishedMs: number): EndedJob {
  const started = startedMs === undefined ? {} : { startedAt: iso(startedMs) };
  return {
    id: `j${createdMs}`,
    status: 'COMPLETED',
    createdAt: iso(createdMs),
    finishedAt: iso(finishedMs),
    ...started,
  };
}

const coldStart = { count: 4, sum: 20, p50: 4, p90: 7, p99: 8, max: 8 };
const measured = (points: readonly MetricsPoint[], total: MetricsSummary = {}) => ({
  step: 60,
  points: [...points],
  total,
});

describe('the load of an endpoint', () => {
  it('has the exact times of jobs that the platform lists', () => {
    const jobs = [job(30_000, 31_000, 35_000), job(0, 5_000, 7_000), job(40_000, undefined, 41_000)];
    const metrics = measured([{ at: iso(0), arrivals: 2 }], { coldStart });
    const load = loadOfMetrics(metrics, jobs, START + 120_000);
    assert.deepEqual(load?.arrivals, { ms: [0, 30_000], durationMs: 120_000, origin: 'jobs', total: 2 });
    assert.deepEqual(load.executions, { ms: [2_000, 4_000], origin: 'jobs', count: 2 });
    assert.equal(load.coldStarts?.count, 4);
    assert.equal(load.resumes, undefined);
  });

  it('has the numbers of arrivals and the percentiles if there are more jobs than the platform lists', () => {
    const execution = { count: 300, sum: 600, p50: 1.5, p90: 3, p99: 6, max: 9 };
    const points = [
      { at: iso(0), arrivals: 100 },
      { at: iso(60_000), arrivals: 200 },
    ];
    const jobs = Array.from({ length: 200 }, (_, n) => job(n, n + 1, n + 2));
    const load = loadOfMetrics(measured(points, { execution }), jobs, START + 120_000);
    assert.ok(load);
    const { ms, origin, stepMs } = load.arrivals;
    assert.deepEqual([ms.length, origin, stepMs], [300, 'counts', 60_000]);
    assert.equal(ms.filter((at) => at + (ms[0] ?? 0) < 60_000 - 1_000).length > 80, true);
    assert.deepEqual(
      ms,
      [...ms].sort((one, other) => one - other),
    );
    assert.deepEqual(
      [load.executions?.origin, load.executions?.count, load.coldStarts],
      ['percentiles', 300, undefined],
    );
    assert.match(loadSentences(load).join(' '), /300 measured arrivals in 1 min, at random times within each 1 min\./);
  });

  it('counts what has ended if a platform does not count arrivals', () => {
    const points = [{ at: iso(0), outcomes: { COMPLETED: 3, FAILED: 1 } }];
    assert.equal(loadOfMetrics(measured(points), [], START + 60_000)?.arrivals.ms.length, 4);
  });

  it('is undefined without jobs', () => {
    assert.equal(loadOfMetrics(measured([{ at: iso(0) }]), [], START), undefined);
    assert.equal(loadOfOwnJobs([], START), undefined);
    assert.equal(loadOfOwnJobs([{ status: 'FAILED', submittedAt: START }], START), undefined);
  });

  it('is a part of the load if only the jobs of this editor are known, and says so', () => {
    const jobs = [
      { status: 'COMPLETED', submittedAt: START + 10_000, delayTime: 200, executionTime: 1_000 },
      { status: 'COMPLETED', submittedAt: START, delayTime: 4_000, executionTime: 2_000 },
      { status: 'IN_QUEUE', submittedAt: START },
    ];
    const load = loadOfOwnJobs(jobs, START + 100_000);
    assert.deepEqual(load?.arrivals, { ms: [0, 10_000], durationMs: 100_000, origin: 'ownJobs', total: 2 });
    assert.deepEqual(load.coldStarts, { ms: [4_000], origin: 'waits', count: 1 });
    assert.match(loadSentences(load)[0] ?? '', /Jobs of other clients are not known/);
  });

  it('keeps the newest arrivals of a long one, and says so', () => {
    const points = [{ at: iso(0), arrivals: MAX_ARRIVALS + 500 }];
    const load = loadOfMetrics(measured(points), [], START + 60_000);
    assert.deepEqual([load?.arrivals.ms.length, load?.arrivals.total], [MAX_ARRIVALS, MAX_ARRIVALS + 500]);
    assert.match(load ? loadSentences(load).join(' ') : '', /Only 20000 of 20500 arrivals are simulated/);
  });
});

describe('a distribution of times', () => {
  it('has the mean and the percentiles that were measured', () => {
    const times = timesOfDistribution({ count: 100, sum: 150, p50: 1, p90: 3, p99: 5, max: 6 });
    assert.ok(times);
    assert.ok(Math.abs(meanOf(times) - 1_500) < 5, String(meanOf(times)));
    const sorted = times.ms.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0;
    assert.ok(Math.abs(at(0.5) - 1_000) < 20 && Math.abs(at(0.9) - 3_000) < 50 && Math.abs(at(0.99) - 5_000) < 150);
    assert.ok(sorted.every((ms) => ms >= 0 && ms <= 6_000));
  });

  it('of equal times has only that time', () => {
    const times = timesOfDistribution({ count: 3, sum: 6, p50: 2, p90: 2, p99: 2, max: 2 });
    assert.ok(times?.ms.every((ms) => Math.abs(ms - 2_000) < 1e-6));
    assert.equal(timesOfDistribution({ count: 0, sum: 0, p50: 0, p90: 0, p99: 0, max: 0 }), undefined);
    assert.equal(timesOfDistribution(undefined), undefined);
  });
});

describe('a given load', () => {
  it('is a rate, which is cut if it is high', () => {
    const rate = { kind: 'rate', rate: 1, rampTo: 1, seconds: 10, arrivals: 'constant', seed: 1 } as const;
    const { arrivals } = loadOfPattern(rate);
    assert.deepEqual([arrivals.ms.length, arrivals.durationMs, arrivals.total], [10, 10_000, 10]);
    const cut = loadOfPattern({ ...rate, rate: 10_000, rampTo: 10_000, seconds: 604_800 }, 100).arrivals;
    assert.deepEqual([cut.ms.length, Math.round(cut.durationMs), cut.total], [100, 10, 6_048_000_000]);
  });

  it('is a file with times, whose execution times count if each line has one', () => {
    const load = loadOfFile('at,executionTime\n0,100\n2000,300\n1000,200\n');
    assert.ok('arrivals' in load);
    assert.deepEqual(load.arrivals, { ms: [0, 1_000, 2_000], durationMs: 3_000, origin: 'file', total: 3 });
    assert.deepEqual(load.executions, { ms: [100, 200, 300], origin: 'file', count: 3 });
    const partial = loadOfFile('{"at":0,"executionTime":5}\n{"at":9}');
    assert.ok('arrivals' in partial && partial.executions === undefined);
  });

  it('is the report of a load test, with its execution times', () => {
    const load = loadOfFile(
      JSON.stringify(report({ execution: { p50: 10, p90: 20, p99: 30, p999: 40, max: 50, mean: 12 } })),
    );
    assert.ok('arrivals' in load);
    assert.deepEqual([load.arrivals.origin, load.executions?.origin], ['file', 'percentiles']);
  });

  it('has a problem without two arrivals', () => {
    for (const text of ['', '\n', 'at\n', '12\n', 'nothing']) {
      const load = loadOfFile(text);
      assert.ok('problem' in load, text);
    }
  });
});
