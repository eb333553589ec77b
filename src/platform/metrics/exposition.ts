import type { Metric } from 'prom-client';
import Registry from 'prom-client/lib/registry.js';
import { METRIC_OUTCOMES, RESPONSE_CLASSES } from '../../contract/control/controlMetrics.ts';
import { WORKER_STATES, type DurationName, type Measured } from '../domain/measured.ts';

/* The metrics in the text format of Prometheus. Loaded with the first scrape. */

/** An endpoint, or the sum of those without series of their own. */
export interface ExposedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'QUEUE' | 'LOAD_BALANCER' | 'other';
  readonly totals: Measured;
  /** Number of waiting jobs or requests. */
  readonly depth: number;
  /** Number of workers in each state, in the order of `WORKER_STATES`. */
  readonly workers: readonly number[];
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  /** Without the prefix of all names. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samplesOf: (endpoint: ExposedEndpoint) => readonly Sample[];
}

const PREFIX = 'cloud_compute_';

/** Upper bounds of the buckets of histograms, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200] as const;

const labelsOf = ({ id, name }: ExposedEndpoint) => ({ endpoint_id: id, endpoint_name: name });

function single(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  valueOf: (endpoint: ExposedEndpoint) => number | undefined,
): Family {
  const samplesOf = (endpoint: ExposedEndpoint): Sample[] => {
    const value = valueOf(endpoint);
    return value === undefined ? [] : [{ labels: labelsOf(endpoint), value }];
  };
  return { name, type, help, samplesOf };
}

/** Values by a further label. Those of counters that are 0 are left out. */
function labeled(
  {
    name,
    type,
    help,
    label,
    names,
  }: Pick<Family, 'name' | 'help'> & {
    readonly type: 'counter' | 'gauge';
    readonly label: string;
    readonly names: readonly string[];
  },
  valuesOf: (endpoint: ExposedEndpoint) => readonly number[],
): Family {
  const samplesOf = (endpoint: ExposedEndpoint): Sample[] =>
    valuesOf(endpoint).flatMap((value, index) => {
      const labels = { ...labelsOf(endpoint), [label]: (names[index] ?? '').toLowerCase() };
      return value === 0 && type === 'counter' ? [] : [{ labels, value }];
    });
  return { name, type, help, samplesOf };
}

function histogram(name: string, help: string, duration: DurationName): Family {
  const samplesOf = (endpoint: ExposedEndpoint): Sample[] => {
    const sketch = endpoint.totals.duration(duration);
    if (!sketch) return [];
    const labels = labelsOf(endpoint);
    const counts = sketch.countsUpTo(BOUNDS.map((seconds) => seconds * 1000));
    const buckets = [
      ...BOUNDS.map((bound, index) => [String(bound), counts[index] ?? 0] as const),
      ['+Inf', sketch.count] as const,
    ];
    return [
      ...buckets.map(([le, value]) => ({ metricName: `${PREFIX}${name}_bucket`, labels: { ...labels, le }, value })),
      { metricName: `${PREFIX}${name}_sum`, labels, value: sketch.sum / 1000 },
      { metricName: `${PREFIX}${name}_count`, labels, value: sketch.count },
    ];
  };
  return { name, type: 'histogram', help, samplesOf };
}

const ofType =
  (type: ExposedEndpoint['type'], valueOf: (totals: Measured) => number) =>
  (endpoint: ExposedEndpoint): number | undefined => {
    const value = valueOf(endpoint.totals);
    return endpoint.type === type || (endpoint.type === 'other' && value > 0) ? value : undefined;
  };

const FAMILIES: readonly Family[] = [
  single(
    'jobs_submitted_total',
    'counter',
    'Jobs that were submitted.',
    ofType('QUEUE', ({ arrivals }) => arrivals),
  ),
  labeled(
    {
      ...{ name: 'jobs_ended_total', type: 'counter', help: 'Jobs that ended, by status.' },
      ...{ label: 'status', names: METRIC_OUTCOMES },
    },
    ({ totals }) => totals.outcomes,
  ),
  single(
    'job_retries_total',
    'counter',
    'Returns of jobs to the queue.',
    ofType('QUEUE', ({ retries }) => retries),
  ),
  histogram('job_queue_delay_seconds', 'Time of jobs from entering the queue to a worker.', 'queueDelay'),
  histogram('job_execution_seconds', 'Time of jobs from a worker to the end.', 'execution'),
  histogram('job_duration_seconds', 'Time of jobs from the submission to the end.', 'endToEnd'),
  single(
    ...(['requests_received_total', 'counter', 'Requests to a load-balanced endpoint.'] as const),
    ofType('LOAD_BALANCER', ({ arrivals }) => arrivals),
  ),
  labeled(
    {
      ...{
        name: 'responses_total',
        type: 'counter',
        help: 'Responses of a load-balanced endpoint, by class of the status.',
      },
      ...{ label: 'class', names: RESPONSE_CLASSES },
    },
    ({ totals }) => totals.responses,
  ),
  histogram('request_duration_seconds', 'Time of load-balanced requests to the end of the response.', 'latency'),
  histogram('worker_cold_start_seconds', 'Time from the start of a worker until it is ready.', 'coldStart'),
  single('queue_length', 'gauge', 'Jobs or requests that wait.', ({ depth }) => depth),
  labeled(
    { name: 'workers', type: 'gauge', help: 'Workers, by state.', label: 'state', names: WORKER_STATES },
    ({ workers }) => workers,
  ),
  single('log_bytes_total', 'counter', 'Size of the log lines of workers.', ({ totals }) => totals.logBytes),
  single('spend_usd_total', 'counter', 'Estimated cost of workers.', ({ totals }) => totals.spendNanoUsd / 1e9),
];

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Yields the metrics, one family after another. */
export async function* exposition(endpoints: readonly ExposedEndpoint[]): AsyncGenerator<string> {
  const registry = new Registry();
  for (const family of FAMILIES) {
    const name = PREFIX + family.name;
    const metric = {
      ...{ name, help: family.help, type: family.type },
      get: () => ({ name, help: family.help, type: family.type, values: endpoints.flatMap(family.samplesOf) }),
    };
    // The registry writes values that it did not collect, because those in memory have another form.
    registry.registerMetric(metric as unknown as Metric);
    yield `${await registry.getSingleMetricAsString(name)}\n`;
  }
}
