import type { BillingAmounts } from '../../contract/billing.ts';

/** A resource that costs money, with its own color in the chart. */
export interface Series {
  /** Member of the billing amounts, or `other` for the rest of the total. */
  readonly id: keyof typeof BillingAmounts.shape | 'other';
  readonly label: string;
  /** CSS class of the color. */
  readonly className: string;
}

/**
 * All series, in stacking order. The hue shows the resource (such as GPU, CPU, or disk), and its strength shows the product (serverless,
 * pods, or clusters).
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

/** Maximum rounding error of a sum, in US dollars. It is less than any price. */
const ROUNDING_ERROR = 1e-9;

/** Returns the amount of a series, in US dollars. */
export function amountOf({ id }: Series, amounts: BillingAmounts): number {
  if (id !== 'other') return amounts[id];
  const named = SERIES.reduce((sum, series) => (series.id === 'other' ? sum : sum + amountOf(series, amounts)), 0);
  const rest = amounts.totalAmount - named;
  return Math.abs(rest) < ROUNDING_ERROR ? 0 : rest;
}
