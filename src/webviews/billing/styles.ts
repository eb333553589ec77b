import { PLAIN, styleAt, type SeriesStyle } from '../charts/styles.ts';
import type { BillingChart } from './messages.ts';

/* Styles of the groups. For resources, the hue shows the resource, and the pattern shows the product: serverless, pods, or clusters. */

const KINDS: Readonly<Record<string, SeriesStyle>> = {
  serverlessGpuAmount: { hue: 'purple', pattern: 'solid' },
  serverlessCpuAmount: { hue: 'blue', pattern: 'solid' },
  serverlessDiskAmount: { hue: 'green', pattern: 'solid' },
  endpointAmount: { hue: 'orange', pattern: 'solid' },
  storageStandardAmount: { hue: 'yellow', pattern: 'solid' },
  storageHighPerformanceAmount: { hue: 'yellow', pattern: 'lines' },
  podGpuAmount: { hue: 'purple', pattern: 'lines' },
  podCpuAmount: { hue: 'blue', pattern: 'lines' },
  podDiskAmount: { hue: 'green', pattern: 'lines' },
  clusterGpuAmount: { hue: 'purple', pattern: 'dots' },
  clusterDiskAmount: { hue: 'green', pattern: 'dots' },
  clusterNetworkingAmount: { hue: 'red', pattern: 'dots' },
};

/** Groups that are not one resource. */
const REST: Readonly<Record<string, SeriesStyle>> = {
  other: PLAIN,
  others: PLAIN,
  rest: { hue: 'gray', pattern: 'lines' },
  unknown: { hue: 'gray', pattern: 'dots' },
};

/** Returns the style of each series, by its ID. Groups keep their style when only their amounts change. */
export function stylesOf({ series }: Pick<BillingChart, 'series'>): ReadonlyMap<string, SeriesStyle> {
  const named = new Map<string, SeriesStyle>();
  let place = 0;
  for (const id of series.map((one) => one.id).sort()) {
    const known = KINDS[id] ?? REST[id];
    named.set(id, known ?? styleAt(place++));
  }
  return named;
}
