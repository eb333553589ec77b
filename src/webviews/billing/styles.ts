import type { BillingChart } from './messages.ts';

/*
 * Colors and patterns of the series. A pattern distinguishes series without color. For resources, the hue shows the resource, and the pattern
 * shows the product: serverless, pods, or clusters.
 */

const PATTERNS = ['solid', 'lines', 'dots'] as const;
export type Pattern = (typeof PATTERNS)[number];

const HUES = ['purple', 'blue', 'green', 'orange', 'yellow', 'red'] as const;

/** Appearance of a series: names of CSS classes. */
export interface SeriesStyle {
  readonly hue: (typeof HUES)[number] | 'gray';
  readonly pattern: Pattern;
}

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
  other: { hue: 'gray', pattern: 'solid' },
  others: { hue: 'gray', pattern: 'solid' },
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

function styleAt(place: number): SeriesStyle {
  return {
    hue: HUES[place % HUES.length] ?? 'gray',
    pattern: PATTERNS[Math.floor(place / HUES.length) % PATTERNS.length] ?? 'solid',
  };
}

/** Returns the CSS classes of a style. */
export function classesOf(style: SeriesStyle | undefined): string {
  return style ? `${style.hue} ${style.pattern}` : 'gray solid';
}
