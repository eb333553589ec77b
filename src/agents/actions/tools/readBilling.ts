import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { BucketSize, type BillingQuery, type BillingResponse } from '../../../contract/billing.ts';
import {
  readAccount,
  readGroups,
  readMonth,
  readResources,
  spendOf,
} from '../../../features/spend/billing/actions/readBilling.ts';
import { forecastMonth, serviceNow } from '../../../account/prices/forecast.ts';
import { spendByKind } from '../../../features/spend/billing/model/kinds.ts';
import { bucketSizesOf, queryOf, selectionOf } from '../../../features/spend/billing/model/selection.ts';
import { ToolError } from '../../model/toolError.ts';
import { readTool, type ToolContext } from '../agentTool.ts';

const PERIODS = ['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth'] as const;

export const readBilling = readTool({
  name: 'read_billing',
  title: 'Read Billing',
  summary: 'Summarizes the spend of the account, and forecasts that of the current month.',
  icon: 'graph',
  description:
    'Returns the spend of the account in USD: the total of a period, its buckets in time, and its groups by kind of resource, endpoint, GPU type, or network volume. ' +
    'Use it to answer what was spent, when, and on what. With the period thisMonth, it also forecasts the whole calendar month (UTC): the expected total, ' +
    'a range that contains it in 80 of 100 cases, and the number of complete days that the forecast is based on. With fewer than 3, the range says little. ' +
    'For a planned load call estimate_costs. Costs nothing. On the local platform, the amounts are metered like hosted ones, but nobody pays them.',
  input: z.strictObject({
    period: z
      .enum(PERIODS)
      .default('month')
      .describe(
        'day, week, month, year: the last 24 hours, 7 days, 30 days, 12 months. thisMonth, lastMonth: calendar months in UTC. Default: month.',
      ),
    bucketSize: BucketSize.optional().describe('Length of a bucket. Default: the one that suits the period.'),
    groupBy: z
      .enum(['kind', 'endpoint', 'gpu', 'volume'])
      .default('kind')
      .describe(
        'kind: kind of resource. endpoint and gpu: serverless spend only. volume: network volumes only. Default: kind.',
      ),
  }),
  commands: ['cloudCompute.billing.open'],
  progress: () => l10n.t('Reading the bills'),
  read: async ({ period, bucketSize, groupBy }, context) => {
    const { clock, signal } = context;
    const { client, name, isLocal } = context.connection();
    const sizes = bucketSizesOf(period);
    if (bucketSize !== undefined && !sizes.includes(bucketSize))
      throw new ToolError('invalidInput', `bucketSize: for the period ${period}, it must be ${sizes.join(', ')}.`);
    const base = selectionOf(period);
    const isCalendar = period === 'thisMonth' || period === 'lastMonth';
    const days = isCalendar ? (await readMonth(client, { signal })).records : [];
    const today = days.at(-1);
    const now = today ? serviceNow(today, clock.now()) : clock.now();
    const query = queryOf({ ...base, bucketSize: bucketSize ?? base.bucketSize }, now);
    const spend =
      groupBy === 'kind'
        ? spendByKind(await readAccount(client, query, { signal }))
        : await groupedSpend(context, groupBy, query);
    const { times, totals, total, series } = spend;
    return {
      connection: name,
      isLocal,
      start: isoTime(times[0]),
      end: isoTime(times.at(-1)),
      bucketSize: spend.bucketSize,
      totalUsd: total,
      ...(period === 'thisMonth' && { forecast: forecastOf(days, now) }),
      groups: series.map(({ id, label, total: usd }) => ({ id, name: label, usd })).sort((a, b) => b.usd - a.usd),
      buckets: totals.map((usd, index) => ({ start: isoTime(times[index]), usd })).filter(({ usd }) => usd !== 0),
    };
  },
});

function forecastOf(records: BillingResponse['records'], now: number): object {
  const { month, spent, expected, low, high, basis } = forecastMonth({ records, now });
  return {
    month: new Date(month.start).toISOString().slice(0, 7),
    spentUsd: spent,
    expectedUsd: expected,
    range: { lowUsd: low, highUsd: high },
    basedOn: { completeDays: basis.days, meanUsdPerDay: basis.dailyMean },
  };
}

async function groupedSpend(context: ToolContext, grouping: Parameters<typeof readGroups>[1], query: BillingQuery) {
  const { client } = context.connection();
  const { signal } = context;
  const [groups, resources] = await Promise.all([
    readGroups(client, grouping, query, { signal }),
    readResources(client, grouping, { signal }),
  ]);
  return spendOf(groups, resources);
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
