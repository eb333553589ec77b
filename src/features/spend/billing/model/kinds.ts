import * as l10n from '@vscode/l10n';
import type { BillingAmounts, BillingResponse } from '../../../../contract/billing.ts';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { BillingSeries } from '../../../../webviews/billing/messages.ts';
import { boundariesOf, bucketAt } from './buckets.ts';
import { dollars, trillionths, type Trillionths } from '../../../../account/prices/amounts.ts';
import type { Spend } from './groups.ts';

/* Spend by kind of resource, from the report of the account. */

type AmountName = Exclude<keyof typeof BillingAmounts.shape, 'totalAmount' | 'serverlessFeeAmount'>;

/** Labels of the amounts, in stacking order. The deprecated `serverlessFeeAmount` is always zero. */
const LABELS: Readonly<Record<AmountName, string>> = {
  serverlessGpuAmount: l10n.t('Serverless GPU'),
  serverlessCpuAmount: l10n.t('Serverless CPU'),
  serverlessDiskAmount: l10n.t('Serverless disk'),
  endpointAmount: l10n.t('Public endpoints'),
  storageStandardAmount: l10n.t('Standard storage'),
  storageHighPerformanceAmount: l10n.t('High-performance storage'),
  podGpuAmount: l10n.t('Pod GPU'),
  podCpuAmount: l10n.t('Pod CPU'),
  podDiskAmount: l10n.t('Pod disk'),
  clusterGpuAmount: l10n.t('Cluster GPU'),
  clusterDiskAmount: l10n.t('Cluster disk'),
  clusterNetworkingAmount: l10n.t('Cluster networking'),
};
const NAMES = Object.keys(LABELS) as AmountName[];

/** Difference between a total and the sum of its amounts that counts as a rounding error of the service, in US dollars. */
const ROUNDING_ERROR = 1e-9;

/**
 * Returns the spend by kind of resource. All amounts are those of the service. Kinds without spend are left out. The part of a total that
 * no known amount explains is the kind `other`, so that the parts always add up to the total.
 */
export function spendByKind({ records, metadata }: BillingResponse): Spend {
  const times = boundariesOf(metadata.query);
  const emptySums = () => new Array<Trillionths>(times.length - 1).fill(0n);
  const totals = emptySums();
  const columns = new Map([...NAMES, 'other'].map((name) => [name, emptySums()]));
  for (const record of records) {
    const index = bucketAt(times, millisecondsOf(record.startTime));
    if (index === undefined) continue;
    // A bar can consist of several buckets of the report.
    addAt(totals, index, record.totalAmount);
    for (const [name, column] of columns) addAt(column, index, amountOf(name, record));
  }
  const series = [...columns].map(([name, amounts]): BillingSeries => ({
    id: name,
    label: name === 'other' ? l10n.t('Other') : LABELS[name as AmountName],
    total: amountOf(name, metadata.totals),
    amounts: amounts.map(dollars),
  }));
  return {
    bucketSize: metadata.query.bucketSize,
    times,
    totals: totals.map(dollars),
    total: metadata.totals.totalAmount,
    series: series.filter(({ total, amounts }) => total !== 0 || amounts.some((amount) => amount !== 0)),
  };
}

function addAt(sums: Trillionths[], index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0n) + trillionths(amount);
}

function amountOf(name: string, amounts: BillingAmounts): number {
  if (name !== 'other') return amounts[name as AmountName];
  const rest = NAMES.reduce((left, known) => left - amounts[known], amounts.totalAmount);
  if (Math.abs(rest) < ROUNDING_ERROR) return 0;
  return dollars(NAMES.reduce((left, known) => left - trillionths(amounts[known]), trillionths(amounts.totalAmount)));
}
