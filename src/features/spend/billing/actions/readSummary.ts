import type { BillingQuery, BillingResponse, BucketSize } from '../../../../contract/billing.ts';
import type { Client } from '../../../../client/client.ts';
import { forecastMonth, serviceNow } from '../../../../account/prices/forecast.ts';
import { spendByKind } from '../model/kinds.ts';
import { queryOf, selectionOf } from '../model/selection.ts';
import { readAccount, readGroups, readMonth, readResources, spendOf, type ReportGrouping } from './readBilling.ts';

/* The spend of the account as plain data, for agents and the command line. */

export const SUMMARY_PERIODS = ['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth'] as const;
export const SUMMARY_GROUPINGS = ['kind', 'endpoint', 'gpu', 'volume'] as const;

export interface SummaryQuery {
  readonly period: (typeof SUMMARY_PERIODS)[number];
  /** Length of a bucket. Undefined: the one that suits the period. */
  readonly bucketSize?: BucketSize | undefined;
  readonly groupBy: (typeof SUMMARY_GROUPINGS)[number];
}

/** Amounts are in US dollars, times in RFC 3339. */
export interface SpendSummary {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly bucketSize: BucketSize;
  readonly totalUsd: number;
  /** Only for the period `thisMonth`. */
  readonly forecast?: MonthForecast;
  /** The most expensive one first. */
  readonly groups: readonly { readonly id: string; readonly name: string; readonly usd: number }[];
  /** Buckets with spend. */
  readonly buckets: readonly { readonly start: string | undefined; readonly usd: number }[];
}

export interface MonthForecast {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly spentUsd: number;
  readonly expectedUsd: number;
  /** Contains the spend of the month in 80 of 100 cases. */
  readonly range: { readonly lowUsd: number; readonly highUsd: number };
  readonly basedOn: { readonly completeDays: number; readonly meanUsdPerDay: number };
}

/** Reads the spend of a period. @throws ApiError */
export async function readSummary(
  client: Client,
  { period, bucketSize, groupBy }: SummaryQuery,
  signal: AbortSignal,
): Promise<SpendSummary> {
  const { clock } = client.context;
  const base = selectionOf(period);
  const isCalendar = period === 'thisMonth' || period === 'lastMonth';
  const days = isCalendar ? (await readMonth(client, { signal })).records : [];
  const today = days.at(-1);
  const now = today ? serviceNow(today, clock.now()) : clock.now();
  const query = queryOf({ ...base, bucketSize: bucketSize ?? base.bucketSize }, now);
  const spend =
    groupBy === 'kind'
      ? spendByKind(await readAccount(client, query, { signal }))
      : await groupedSpend(client, groupBy, query, signal);
  const { times, totals, total, series } = spend;
  return {
    start: isoTime(times[0]),
    end: isoTime(times.at(-1)),
    bucketSize: spend.bucketSize,
    totalUsd: total,
    ...(period === 'thisMonth' && { forecast: forecastOf(days, now) }),
    groups: series.map(({ id, label, total: usd }) => ({ id, name: label, usd })).sort((a, b) => b.usd - a.usd),
    buckets: totals.map((usd, index) => ({ start: isoTime(times[index]), usd })).filter(({ usd }) => usd !== 0),
  };
}

function forecastOf(records: BillingResponse['records'], now: number): MonthForecast {
  const { month, spent, expected, low, high, basis } = forecastMonth({ records, now });
  return {
    month: new Date(month.start).toISOString().slice(0, 7),
    spentUsd: spent,
    expectedUsd: expected,
    range: { lowUsd: low, highUsd: high },
    basedOn: { completeDays: basis.days, meanUsdPerDay: basis.dailyMean },
  };
}

async function groupedSpend(client: Client, grouping: ReportGrouping, query: BillingQuery, signal: AbortSignal) {
  const [groups, resources] = await Promise.all([
    readGroups(client, grouping, query, { signal }),
    readResources(client, grouping, { signal }),
  ]);
  return spendOf(groups, resources);
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
