import type { BillingResponse } from '../../contract/billing.ts';
import type { ServerlessBillingReport } from '../../contract/billingReports.ts';
import { forecastMonth, serviceNow, FORECAST_BUCKETS, type MonthForecast } from './forecast.ts';
import { sumOf } from './amounts.ts';
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/request.ts';

/* Spend of today and of this month, in USD. Days and months are in UTC, like the buckets of the service. */

const DAY_MS = 86_400_000;

export interface Spend {
  readonly today: number;
  readonly month: number;
  /** The month, such as `2026-03`. */
  readonly monthName: string;
}

/** Spend of the account. */
export interface AccountSpend extends Spend {
  readonly forecast: MonthForecast;
}

type Report = Pick<BillingResponse | ServerlessBillingReport, 'metadata'> & {
  readonly records: readonly { readonly startTime: string; readonly totalAmount: number }[];
};

/**
 * Returns the bucket of the day that the service calls today. The end of the report's window decides, so a wrong clock of this machine cannot
 * shift days or months, and a service can omit empty days.
 */
function runningDay({ metadata }: Report): { readonly startTime: string; readonly endTime: string } {
  const start = Math.floor((Date.parse(metadata.query.endTime) - 1) / DAY_MS) * DAY_MS;
  return { startTime: new Date(start).toISOString(), endTime: new Date(start + DAY_MS).toISOString() };
}

/** Returns the spend in a report of daily records that ends with the current day. Several records of a day add up. */
export function spendOf(report: Report): Spend {
  const today = Date.parse(runningDay(report).startTime);
  const monthName = monthNameOf(today);
  const days = report.records.map(({ startTime, totalAmount }) => ({ start: Date.parse(startTime), totalAmount }));
  const total = (isIn: (start: number) => boolean) =>
    sumOf(days.filter(({ start }) => isIn(start)).map(({ totalAmount }) => totalAmount));
  return {
    today: total((start) => start >= today && start < today + DAY_MS),
    month: total((start) => monthNameOf(start) === monthName),
    monthName,
  };
}

/** Returns the spend of the account with its forecast. @param localNow time of this machine, in ms since the epoch */
export function accountSpendOf(report: BillingResponse, localNow: number): AccountSpend {
  const now = serviceNow(runningDay(report), localNow);
  return { ...spendOf(report), forecast: forecastMonth({ records: report.records, now }) };
}

function monthNameOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

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
