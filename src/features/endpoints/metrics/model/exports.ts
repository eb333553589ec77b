import { COLUMNS, type ColumnId, type MetricsChart } from '../../../../webviews/metrics/messages.ts';

/* Exports of the numbers of the charts. Durations are seconds, and amounts are US dollars. An empty cell was not measured. */

/** Names of the columns of an export, which are those of the API. */
function nameOf(id: ColumnId, { duration }: MetricsChart): string {
  if (id === 'p50' || id === 'p90' || id === 'p99' || id === 'max') return `${duration}.${id}`;
  if (id === 'COMPLETED' || id === 'FAILED' || id === 'CANCELLED' || id === 'TIMED_OUT') return `outcomes.${id}`;
  if (/^\dxx$/.test(id) || id === 'refused' || id === 'disconnected') return `responses.${id}`;
  if (id === 'running' || id === 'idle' || id === 'initializing' || id === 'throttled' || id === 'unhealthy')
    return `workers.${id}`;
  return id;
}

/** Returns the columns that have values. */
function shownColumns({ columns }: MetricsChart): ColumnId[] {
  return COLUMNS.filter((id) => columns[id] !== undefined);
}

/** Returns the charts as CSV (RFC 4180). Each bucket is a row. */
export function csvOf(chart: MetricsChart): string {
  const ids = shownColumns(chart);
  const heading = ['startTime', 'endTime', ...ids.map((id) => nameOf(id, chart))];
  const rows = Array.from({ length: chart.count }, (_, index) => [
    ...edges(chart, index),
    ...ids.map((id) => chart.columns[id]?.[index] ?? ''),
  ]);
  return [heading, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** Returns the charts as JSON with the values of each bucket, and the markers. */
export function jsonOf(chart: MetricsChart, name: string): string {
  const ids = shownColumns(chart);
  const document = {
    endpoint: name,
    ...{ startTime: iso(chart.start), endTime: iso(chart.start + chart.count * chart.step), step: chart.step / 1_000 },
    buckets: Array.from({ length: chart.count }, (_, index) => {
      const [startTime, endTime] = edges(chart, index);
      const values = ids.flatMap((id) => {
        const value = chart.columns[id]?.[index] ?? undefined;
        return value === undefined ? [] : [[nameOf(id, chart), value] as const];
      });
      return { startTime, endTime, ...Object.fromEntries(values) };
    }),
    markers: chart.markers.map(({ at, ...marker }) => ({ at: iso(at), ...marker })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Returns the name of an exported file, such as `metrics-hello-2025-11-01.csv`. */
export function exportName(name: string, chart: MetricsChart, extension: string): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '-').slice(0, 60);
  return `metrics-${plain}-${iso(chart.start).slice(0, 10)}.${extension}`;
}

function edges({ start, step }: MetricsChart, index: number): [string, string] {
  return [iso(start + index * step), iso(start + (index + 1) * step)];
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
