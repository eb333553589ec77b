import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/request.ts';
import { FORECAST_BUCKETS } from './forecast.ts';
import { accountSpendOf, spendOf, type AccountSpend, type Spend } from './spend.ts';

/** Maximum number of days of a month, which is the number of buckets that the spend of a month needs. */
const MONTH_BUCKETS = 31;

/** Reads the spend of the account, and forecasts the month. @param now ms since the epoch @throws ApiError */
export async function readAccountSpend(
  client: Pick<Client, 'listBilling'>,
  now: () => number,
  options: CallOptions = {},
): Promise<AccountSpend> {
  const query = { bucketSize: 'day', lastN: FORECAST_BUCKETS } as const;
  return accountSpendOf(await client.listBilling({ query }, options), now());
}

/** Reads the spend on the workers of one endpoint. @throws ApiError */
export async function readEndpointSpend(
  client: Pick<Client, 'listServerlessBilling'>,
  endpointId: string,
  options: CallOptions = {},
): Promise<Spend> {
  const query = { bucketSize: 'day', lastN: MONTH_BUCKETS, serverlessId: endpointId } as const;
  return spendOf(await client.listServerlessBilling({ query }, options));
}
