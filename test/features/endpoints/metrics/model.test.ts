import assert from 'node:assert/strict';
import { bucketsOf, chartOf, summaryOf } from '../../../../src/features/endpoints/metrics/model/columns.ts';
import { csvOf, exportName, jsonOf } from '../../../../src/features/endpoints/metrics/model/exports.ts';
import {
  observedMetrics,
  ownJobsIn,
  withSample,
  type ObservedBucket,
  type OwnJob,
  type Sample,
} from '../../../../src/features/endpoints/metrics/model/observation.ts';
import {
  DEFAULT_SELECTION,
  validSelection,
  windowBefore,
  windowOf,
} from '../../../../src/features/endpoints/metrics/model/window.ts';
import { METRIC_STEPS } from '../../../../src/contract/control/controlMetrics.ts';
import type { MetricsPeriod } from '../../../../src/webviews/metrics/messages.ts';
import { distribution, NOW, response, sentFor } from '../../../webviews/metrics/sample.ts';

const iso = (time: number) => new Date(time).toISOString();
const START = Date.parse('2025-11-21T14:00:00Z');
const WINDOW = { start: START, end: START + 40_000, step: 10_000 };
const CHART = {
  isQueue: true,
  duration: 'endToEnd',
  now: START,
  deploymentOf: () => undefined,
  createdAt: undefined,
} as const;

describe('the window of metrics', () => {
  it('ends with the bucket that contains the present', () => {
    const { start, end, step } = windowOf(DEFAULT_SELECTION, NOW);
    assert.deepEqual([iso(start), iso(end), step], ['2025-11-21T13:30:10.000Z', '2025-11-21T14:30:10.000Z', 10_000]);
  });

  const periods: MetricsPeriod[] = ['hour', 'sixHours', 'day', 'week', 'month', 'year'];
  for (const period of periods) {
    it(`has buckets that a platform keeps for the whole ${period}, also for the period before`, () => {
      for (const compare of ['none', 'before'] as const) {
        const selection = validSelection({ ...DEFAULT_SELECTION, period, compare }, true);
        const window = windowOf(selection, NOW);
        const first = selection.compare === 'before' ? windowBefore(window) : window;
        const kept = METRIC_STEPS.find(({ seconds }) => seconds * 1_000 === window.step)?.keptSeconds ?? 0;
        assert.ok(window.end - first.start <= kept * 1_000, `${window.step} ms, ${compare}`);
      }
    });
  }

  it('has minutes at least where the platform does not measure', () => {
    assert.equal(windowOf(DEFAULT_SELECTION, NOW, 60_000).step, 60_000);
  });

  it('has only durations of the type of the endpoint', () => {
    assert.equal(validSelection(DEFAULT_SELECTION, false).duration, 'latency');
    assert.equal(validSelection({ ...DEFAULT_SELECTION, duration: 'coldStart' }, false).duration, 'coldStart');
  });
});

describe('the columns of metrics', () => {
  const points = [
    { at: iso(START), arrivals: 2, endToEnd: distribution(0.5) },
    { at: iso(START + 30_000), outcomes: { COMPLETED: 1 } },
  ];

  it('tell a bucket that was not measured from one with the value 0', () => {
    const { columns, gaps } = bucketsOf(points, WINDOW, 'endToEnd', true);
    assert.deepEqual(columns.arrivals, [2, null, null, 0]);
    assert.deepEqual(columns.COMPLETED, [0, null, null, 1]);
    assert.deepEqual(gaps, [[1, 3]]);
  });

  it('are no gaps before the bucket in which the endpoint was created', () => {
    const gapsAt = (createdAt: number) => bucketsOf(points, WINDOW, 'endToEnd', true, createdAt).gaps;
    assert.deepEqual(gapsAt(START - 1), [[1, 3]]);
    assert.deepEqual(gapsAt(START + 10_000), [[2, 3]], 'the first measurement can be in the next bucket');
    assert.deepEqual(gapsAt(START + 29_999), []);
    assert.deepEqual(bucketsOf([], WINDOW, 'endToEnd', true, START + 60_000).gaps, [], 'created after the window');
  });

  it('have no duration in a bucket without a job', () => {
    assert.deepEqual(bucketsOf(points, WINDOW, 'endToEnd', true).columns.p99, [1.2, null, null, null]);
    assert.equal(bucketsOf(points, WINDOW, 'queueDelay', true).columns.p99, undefined);
  });

  it('have no invented zeros where the platform does not measure', () => {
    const { columns } = bucketsOf(points, WINDOW, 'endToEnd', false);
    assert.deepEqual(columns.arrivals, [2, null, null, null]);
    const idle = bucketsOf([{ at: iso(START), workers: { idle: 0 } }], WINDOW, 'endToEnd', false);
    assert.deepEqual(idle.columns.idle, [0, null, null, null], 'an observed zero stays');
  });

  it('mark the running bucket, and omit it for a window that is over', () => {
    const reading = { window: WINDOW, metrics: { step: 10, points, total: {}, markers: [] }, isObserved: false };
    const at = (now: number) => chartOf(reading, undefined, { ...CHART, now }).running;
    assert.deepEqual([at(START + 35_000), at(START + 40_000)], [3, undefined]);
  });

  it('leave out markers of a kind that this version does not know', () => {
    const markers = [
      { at: iso(START), kind: 'release', release: 2 },
      { at: iso(START + 1), kind: 'eclipse' },
    ];
    const reading = { window: WINDOW, metrics: { step: 10, points, total: {}, markers }, isObserved: false };
    const chart = chartOf(reading, undefined, CHART);
    assert.deepEqual(chart.markers, [{ at: START, kind: 'release', release: 2 }]);
  });
});

describe('the summary of metrics', () => {
  it('counts failed jobs and those that timed out, and divides the work by the ready workers', () => {
    const summary = summaryOf(response(DEFAULT_SELECTION, NOW), 'endToEnd');
    assert.equal(summary.failed, 100);
    assert.equal(summary.utilization, 2 / 3);
    assert.equal(summary.p50, 0.42);
  });

  it('is empty if nothing was measured', () => {
    const nothing = { window: WINDOW, metrics: { step: 10, points: [], total: {}, markers: [] }, isObserved: false };
    assert.deepEqual(summaryOf(nothing, 'endToEnd'), {});
  });
});

describe('exports of metrics', () => {
  const metrics = { step: 10, points: [{ at: iso(START), arrivals: 2 }], total: {}, markers: [] };
  const chart = chartOf({ window: WINDOW, metrics, isObserved: false }, undefined, CHART);

  it('leave a cell empty that was not measured', () => {
    const [heading, first, second] = csvOf(chart).split('\r\n');
    assert.equal(heading, 'startTime,endTime,arrivals');
    assert.equal(first, '2025-11-21T14:00:00.000Z,2025-11-21T14:00:10.000Z,2');
    assert.equal(second, '2025-11-21T14:00:10.000Z,2025-11-21T14:00:20.000Z,');
  });

  it('contain the buckets and the markers as JSON', () => {
    const document = JSON.parse(jsonOf(chart, 'hello')) as { endpoint: string; buckets: unknown[] };
    assert.equal(document.endpoint, 'hello');
    assert.deepEqual(document.buckets[0], {
      ...{ startTime: '2025-11-21T14:00:00.000Z', endTime: '2025-11-21T14:00:10.000Z', arrivals: 2 },
    });
    assert.ok(!('arrivals' in (document.buckets[1] as object)));
  });

  it('have the name of the endpoint without characters of paths', () => {
    assert.equal(exportName('../a b', chart, 'csv'), 'metrics-..-a-b-2025-11-21.csv');
  });
});

describe('what an editor observes', () => {
  const workers = { running: 1, idle: 2, initializing: 0, throttled: 0, unhealthy: 0, total: 3 };
  const counters = { completed: 10, failed: 1, retried: 0, inQueue: 4 };
  const sample = (at: number, jobs: Partial<typeof counters> = {}): Sample => ({
    at,
    workers,
    jobs: { ...counters, ...jobs },
  });
  const after = (...samples: Sample[]) =>
    samples.reduce<readonly ObservedBucket[]>(
      (buckets, one, index) => withSample(buckets, one, samples[index - 1]),
      [],
    );
  const window = { start: START, end: START + 600_000, step: 60_000 };

  it('is the mean of the samples of a minute', () => {
    const buckets = after(sample(START, { inQueue: 2 }), sample(START + 10_000, { inQueue: 4 }));
    const [point] = observedMetrics(buckets, [], window).points;
    assert.deepEqual([point?.queueDepth, point?.maxQueueDepth, point?.workers?.idle], [3, 4, 2]);
    assert.equal(point?.arrivals, undefined, 'no sample tells them');
  });

  it('contains the jobs that ended between two samples', () => {
    const buckets = after(sample(START), sample(START + 10_000, { completed: 13, failed: 2 }));
    assert.deepEqual(observedMetrics(buckets, [], window).points[0]?.outcomes, { COMPLETED: 3, FAILED: 1 });
  });

  it('does not know when jobs ended while nobody looked, or when the counters were reset', () => {
    const late = after(sample(START), sample(START + 300_000, { completed: 13 }));
    assert.deepEqual(
      observedMetrics(late, [], window).points.map(({ at, outcomes }) => [at, outcomes]),
      [
        [iso(START), undefined],
        [iso(START + 300_000), undefined],
      ],
      'the minutes between have no points',
    );
    const reset = after(sample(START), sample(START + 10_000, { completed: 0 }));
    assert.equal(observedMetrics(reset, [], window).points[0]?.outcomes, undefined);
  });

  const job = (id: string, seconds: number, status = 'COMPLETED'): OwnJob => ({
    ...{ id, status, submittedAt: START, endedAt: START + seconds * 1_000 + 700 },
    ...{ delayTime: 1_000, executionTime: seconds * 1_000 - 1_000 },
  });

  it('has the exact durations of the jobs that the user ran', () => {
    const jobs = [job('a', 5), job('b', 10), job('c', 20), job('failed', 30, 'FAILED')];
    const { points, total } = observedMetrics([], jobs, window);
    assert.deepEqual(total.endToEnd, { count: 3, sum: 35, p50: 10, p90: 20, p99: 20, max: 20 });
    assert.equal(total.queueDelay?.p50, 1);
    assert.equal(points.length, 1);
    assert.equal(points[0]?.workers, undefined, 'no sample was taken');
  });

  it('lists the jobs of the user that ended, the slowest first', () => {
    const jobs = [job('a', 5), job('b', 50), job('running', 5, 'IN_PROGRESS'), job('later', 70)];
    assert.deepEqual(
      ownJobsIn(jobs, { start: START, end: START + 60_000 }).map(({ id }) => id),
      ['b', 'a'],
    );
  });
});

describe('the metrics view', () => {
  it('shows the numbers of the selected duration', () => {
    const reading = { value: response(DEFAULT_SELECTION, NOW) };
    const { view, chart } = sentFor({ reading, selection: { ...DEFAULT_SELECTION, duration: 'queueDelay' } });
    assert.equal(view.summary?.p50, 0.11);
    assert.equal(chart?.columns.p50?.[0], distribution(0.1, 12).p50);
  });
});
