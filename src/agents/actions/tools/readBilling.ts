import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { BucketSize } from '../../../contract/billing.ts';
import {
  readSummary,
  SUMMARY_GROUPINGS,
  SUMMARY_PERIODS,
} from '../../../features/spend/billing/actions/readSummary.ts';
import { bucketSizesOf } from '../../../features/spend/billing/model/selection.ts';
import { ToolError } from '../../model/toolError.ts';
import { readTool } from '../agentTool.ts';

export const readBilling = readTool({
  name: 'read_billing',
  title: 'Read Billing',
  summary: 'Summarizes the spend of the account, and forecasts the current month.',
  icon: 'graph',
  description:
    'Returns the spend of the account in USD: the total of a period, its buckets in time, and its groups by kind of resource, endpoint, GPU type, or network volume. ' +
    'Use it to answer what was spent, when, and on what. With the period thisMonth, it also forecasts the whole calendar month (UTC): the expected total, ' +
    'a range that contains it in 80 of 100 cases, and the number of complete days that the forecast is based on. With fewer than 3, the range says little. ' +
    'For a planned load call estimate_costs. Costs nothing. On the local platform, the amounts are metered like hosted ones, but not charged.',
  input: z.strictObject({
    period: z
      .enum(SUMMARY_PERIODS)
      .default('month')
      .describe(
        'day, week, month, year: the last 24 hours, 7 days, 30 days, 12 months. thisMonth, lastMonth: calendar months in UTC. Default: month.',
      ),
    bucketSize: BucketSize.optional().describe('Length of a bucket. Default: the one that suits the period.'),
    groupBy: z
      .enum(SUMMARY_GROUPINGS)
      .default('kind')
      .describe(
        'kind: kind of resource. endpoint and gpu: serverless spend only. volume: network volumes only. Default: kind.',
      ),
  }),
  commands: ['cloudCompute.billing.open'],
  progress: () => l10n.t('Reading the bills'),
  read: async ({ period, bucketSize, groupBy }, context) => {
    const { client, name, isLocal } = context.connection();
    const sizes = bucketSizesOf(period);
    if (bucketSize !== undefined && !sizes.includes(bucketSize))
      throw new ToolError('invalidInput', `bucketSize: for the period ${period}, it must be ${sizes.join(', ')}.`);
    return {
      connection: name,
      isLocal,
      ...(await readSummary(client, { period, bucketSize, groupBy }, context.signal)),
    };
  },
});
