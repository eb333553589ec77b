import * as l10n from '@vscode/l10n';
import { millisecondsOf } from '../../../../contract/dateTime.ts';
import type { BillingSeries, BillingChart } from '../../../../webviews/billing/messages.ts';
import { boundariesOf, bucketAt, type AppliedWindow } from './buckets.ts';
import { dollars, trillionths, type Trillionths } from '../../../../account/prices/amounts.ts';

/** Spend per bucket and group, in US dollars. */
export type Spend = Omit<BillingChart, 'grouping' | 'running'>;

/** Maximum number of groups in a chart. Further groups are added up as one. */
export const MAX_GROUPS = 12;

export interface Group {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

/** An amount of a group in the bucket that starts at `startTime`, in US dollars. */
export interface GroupAmount {
  readonly startTime: string;
  readonly groupId: string;
  readonly amount: number;
}

export interface GroupedInput {
  readonly query: AppliedWindow;
  /** Total of the report, which the service computed. */
  readonly total: number;
  /** Amounts in any order. Several amounts of a group and bucket are added. */
  readonly amounts: Iterable<GroupAmount>;
  readonly groupOf: (id: string) => Group;
}

/** A group with its exact sums. */
interface Sums {
  total: Trillionths;
  readonly buckets: Map<number, Trillionths>;
}

/** Adds up amounts by group. The largest groups come first, and small ones are added up as "N others". Sums are exact. */
export function spendByGroup({ query, total, amounts, groupOf }: GroupedInput): Spend {
  const times = boundariesOf(query);
  const groups = new Map<string, Sums>();
  const all: Sums = emptySums();
  for (const { startTime, groupId, amount } of amounts) {
    const index = bucketAt(times, millisecondsOf(startTime));
    if (index === undefined || amount === 0) continue;
    let sums = groups.get(groupId);
    if (!sums) groups.set(groupId, (sums = emptySums()));
    add(sums, index, trillionths(amount));
    add(all, index, trillionths(amount));
  }
  const count = times.length - 1;
  return {
    bucketSize: query.bucketSize,
    times,
    totals: listOf(all, count),
    total,
    series: shownSeries([...groups], count, groupOf),
  };
}

function shownSeries(groups: [string, Sums][], count: number, groupOf: (id: string) => Group): BillingSeries[] {
  const ordered = groups.sort(([, one], [, other]) => compare(size(other.total), size(one.total)));
  const shown = ordered.slice(0, ordered.length > MAX_GROUPS ? MAX_GROUPS - 1 : MAX_GROUPS);
  const rest = ordered.slice(shown.length);
  const series = withDistinctLabels(shown.map(([id, sums]) => ({ ...groupOf(id), ...amountsOf(sums, count) })));
  if (rest.length === 0) return series;
  const others = emptySums();
  for (const [, sums] of rest) for (const [index, amount] of sums.buckets) add(others, index, amount);
  return [...series, { id: 'others', label: l10n.t`${rest.length} others`, ...amountsOf(others, count) }];
}

/** Appends the ID to labels that several series have. */
function withDistinctLabels(series: BillingSeries[]): BillingSeries[] {
  const counts = new Map<string, number>();
  for (const { label } of series) counts.set(label, (counts.get(label) ?? 0) + 1);
  return series.map((one) =>
    (counts.get(one.label) ?? 0) > 1 && one.detail !== undefined
      ? { ...one, label: `${one.label} (${one.detail})` }
      : one,
  );
}

function emptySums(): Sums {
  return { total: 0n, buckets: new Map() };
}

function add(sums: Sums, index: number, amount: Trillionths): void {
  sums.total += amount;
  sums.buckets.set(index, (sums.buckets.get(index) ?? 0n) + amount);
}

function amountsOf(sums: Sums, count: number): Pick<BillingSeries, 'total' | 'amounts'> {
  return { total: dollars(sums.total), amounts: listOf(sums, count) };
}

function listOf({ buckets }: Sums, count: number): number[] {
  const list = new Array<number>(count).fill(0);
  for (const [index, amount] of buckets) list[index] = dollars(amount);
  return list;
}

function size(amount: Trillionths): Trillionths {
  return amount < 0n ? -amount : amount;
}

function compare(one: Trillionths, other: Trillionths): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
