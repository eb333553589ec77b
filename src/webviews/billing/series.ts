import type { BillingAmounts } from '../../contract/billing.ts';

/** What money is spent on: one colour of the chart. */
export interface Series {
  /** Member of the wire's amounts, or `other` for what they do not name. */
  readonly id: keyof typeof BillingAmounts.shape | 'other';
  readonly label: string;
  /** Class that gives it its colour. */
  readonly className: string;
}

/**
 * In the order in which they are stacked. The hue says what it is (GPU, CPU, disk …), its strength whose it is (serverless,
 * pods, clusters).
 */
export const SERIES: readonly Series[] = [
  { id: 'serverlessGpuAmount', label: 'Serverless GPU', className: 'gpu' },
  { id: 'serverlessCpuAmount', label: 'Serverless CPU', className: 'cpu' },
  { id: 'serverlessDiskAmount', label: 'Serverless disk', className: 'disk' },
  { id: 'endpointAmount', label: 'Public endpoints', className: 'public' },
  { id: 'storageStandardAmount', label: 'Standard storage', className: 'storage' },
  { id: 'storageHighPerformanceAmount', label: 'High-performance storage', className: 'storage medium' },
  { id: 'podGpuAmount', label: 'Pod GPU', className: 'gpu medium' },
  { id: 'podCpuAmount', label: 'Pod CPU', className: 'cpu medium' },
  { id: 'podDiskAmount', label: 'Pod disk', className: 'disk medium' },
  { id: 'clusterGpuAmount', label: 'Cluster GPU', className: 'gpu light' },
  { id: 'clusterDiskAmount', label: 'Cluster disk', className: 'disk light' },
  { id: 'clusterNetworkingAmount', label: 'Cluster networking', className: 'network' },
  { id: 'other', label: 'Other', className: 'other' },
];

/** Less than any price there is: what adding doubles leaves over. */
const NOTHING = 1e-9;

/** The amount of a series, in US dollars. */
export function amountOf({ id }: Series, amounts: BillingAmounts): number {
  if (id !== 'other') return amounts[id];
  const named = SERIES.reduce((sum, series) => (series.id === 'other' ? sum : sum + amountOf(series, amounts)), 0);
  const rest = amounts.totalAmount - named;
  return Math.abs(rest) < NOTHING ? 0 : rest;
}
