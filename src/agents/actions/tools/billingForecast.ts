import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { readMonth } from '../../../features/spend/billing/actions/readBilling.ts';
import { forecastMonth, serviceNow } from '../../../account/prices/forecast.ts';
import { agentTool } from '../agentTool.ts';

export const billingForecast = agentTool({
  name: 'billing_forecast',
  title: 'Billing Forecast',
  summary: 'Forecasts the spend of the current month.',
  icon: 'graph-line',
  description:
    'Forecasts the spend of the account for the current calendar month (UTC) in USD: the exact spend so far, the expected total, and a range that contains the total in 80 of 100 cases. ' +
    'Returns how many complete days it is based on: with fewer than 3, the range says little. Costs nothing. On the local platform, nobody pays these amounts.',
  input: z.strictObject({}),
  effect: 'read',
  commands: ['cloudCompute.billing.open'],
  progress: () => l10n.t('Forecasting the spend of the month'),
  run: async (_, context) => {
    const { clock, signal } = context;
    const { client, name, isLocal } = context.connection();
    const { records } = await readMonth(client, { signal });
    const running = records.at(-1);
    const now = running ? serviceNow(running, clock.now()) : clock.now();
    const { month, spent, expected, low, high, basis } = forecastMonth({ records, now });
    return {
      connection: name,
      isLocal,
      month: new Date(month.start).toISOString().slice(0, 7),
      spentUsd: spent,
      expectedUsd: expected,
      range: { lowUsd: low, highUsd: high },
      basedOn: { completeDays: basis.days, meanUsdPerDay: basis.dailyMean },
    };
  },
});
