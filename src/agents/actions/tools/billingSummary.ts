import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { BucketSize } from '../../../contract/billing.ts';
import {
  readAccount,
  readGroups,
  readMonth,
  readResources,
  spendOf,
} from '../../../features/spend/billing/actions/readBilling.ts';
import { serviceNow } from '../../../account/prices/forecast.ts';
import { spendByKind } from '../../../features/spend/billing/model/kinds.ts';
import { bucketSizesOf, queryOf, selectionOf } from '../../../features/spend/billing/model/selection.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool, type ToolContext } from '../agentTool.ts';

const PERIODS = ['day', 'week', 'month', 'year', 'thisMonth', 'lastMonth'] as const;

export const billingSummary = agentTool({
  name: 'billing_summary',
  title: 'Billing Summary',
  summary: 'Summarizes the spend of the account.',
  icon: 'graph',
  description:
    'Returns the spend of the account in USD: the total of a period, its buckets in time, and its groups by kind of resource, endpoint, GPU type, or network volume. ' +
    'Use it to answer what was spent, when, and on what. For the rest of the month call billing_forecast, and for a planned load call estimate_costs. Costs nothing. ' +
    'On the local platform, the amounts are metered like hosted ones, but nobody pays them.',
  input: z.strictObject({
    period: z
      .enum(PERIODS)
      .default('month')
      .describe(
        'day, week, month, year: the last 24 hours, 7 days, 30 days, 12 months. thisMonth, lastMonth: calendar months in UTC.',
      ),
    bucketSize: BucketSize.optional().describe('Length of a bucket. Default: the one that suits the period.'),
    groupBy: z
      .enum(['kind', 'endpoint', 'gpu', 'volume'])
      .default('kind')
      .describe('kind: kind of resource. endpoint and gpu: serverless spend only. volume: network volumes only.'),
  }),
  effect: 'read',
  commands: ['cloudCompute.billing.open'],
  progress: () => l10n.t('Reading the bills'),
  run: async ({ period, bucketSize, groupBy }, context) => {
    const { client, name, isLocal } = context.connection();
    const sizes = bucketSizesOf(period);
    if (bucketSize !== undefined && !sizes.includes(bucketSize))
      throw new ToolError('invalidInput', `bucketSize: for the period ${period}, it must be ${sizes.join(', ')}.`);
    const base = selectionOf(period);
    const now = period === 'thisMonth' || period === 'lastMonth' ? await timeOfService(context) : context.clock.now();
    const query = queryOf({ ...base, bucketSize: bucketSize ?? base.bucketSize }, now);
    const options = { signal: context.signal };
    const spend =
      groupBy === 'kind'
        ? spendByKind(await readAccount(client, query, options))
        : await groupedSpend(context, groupBy, query);
    const { times, totals, total, series } = spend;
    return {
      connection: name,
      isLocal,
      start: isoTime(times[0]),
      end: isoTime(times.at(-1)),
      bucketSize: spend.bucketSize,
      totalUsd: total,
      groups: series.map(({ id, label, total: usd }) => ({ id, name: label, usd })).sort((a, b) => b.usd - a.usd),
      buckets: totals.map((usd, index) => ({ start: isoTime(times[index]), usd })).filter(({ usd }) => usd !== 0),
    };
  },
});

async function groupedSpend(
  context: ToolContext,
  grouping: Parameters<typeof readGroups>[1],
  query: Parameters<typeof readGroups>[2],
) {
  const { client } = context.connection();
  const { signal } = context;
  const [groups, resources] = await Promise.all([
    readGroups(client, grouping, query, { signal }),
    readResources(client, grouping, { signal }),
  ]);
  return spendOf(groups, resources);
}

/** Returns the time of the service, in ms since the epoch. */
async function timeOfService(context: ToolContext): Promise<number> {
  const { clock, signal } = context;
  const { records } = await readMonth(context.connection().client, { signal });
  const running = records.at(-1);
  return running ? serviceNow(running, clock.now()) : clock.now();
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
