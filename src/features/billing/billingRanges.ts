import type { BillingQuery } from '../../contract/billing.ts';
import type { BillingRange } from '../../webviews/billing/messages.ts';

/** The query of each time range: a number of buckets, of which the last one is incomplete. */
export const BILLING_RANGES: Readonly<Record<BillingRange, Required<Pick<BillingQuery, 'bucketSize' | 'lastN'>>>> = {
  day: { bucketSize: 'hour', lastN: 24 },
  week: { bucketSize: 'day', lastN: 7 },
  month: { bucketSize: 'day', lastN: 30 },
  year: { bucketSize: 'month', lastN: 12 },
};

export const DEFAULT_BILLING_RANGE: BillingRange = 'day';
