import * as z from 'zod';
import { DateTime } from './dateTime.ts';
import { countParameter } from './schema.ts';

/* Billing history: GET /v2/billing (interface document, operation 1). All amounts are USD. */

export const BUCKET_SIZES = ['hour', 'day', 'week', 'month', 'year'] as const;
export const BucketSize = z.enum(BUCKET_SIZES);
export type BucketSize = z.infer<typeof BucketSize>;

export const DEFAULT_BUCKET_SIZE: BucketSize = 'day';
/** Days before now at which the window starts when the query does not say. */
export const DEFAULT_WINDOW_DAYS = 30;

/** Maximum number of buckets in a response: more than 22 years of hours. */
export const MAX_BUCKETS = 200_000;

const usd = z.number();

export const BillingAmounts = z.looseObject({
  totalAmount: usd,
  podGpuAmount: usd,
  podCpuAmount: usd,
  podDiskAmount: usd,
  serverlessGpuAmount: usd,
  serverlessCpuAmount: usd,
  serverlessDiskAmount: usd,
  serverlessFeeAmount: usd.meta({ deprecated: true, description: 'always 0' }),
  storageStandardAmount: usd,
  storageHighPerformanceAmount: usd,
  endpointAmount: usd.meta({ description: 'public endpoints' }),
  clusterGpuAmount: usd,
  clusterDiskAmount: usd,
  clusterNetworkingAmount: usd,
});
export type BillingAmounts = z.infer<typeof BillingAmounts>;

/** The half-open bucket [startTime, endTime) and its amounts. */
export const BillingRecord = z.looseObject({ startTime: DateTime, endTime: DateTime, ...BillingAmounts.shape });
export type BillingRecord = z.infer<typeof BillingRecord>;

export const BillingResponse = z.looseObject({
  records: z.array(BillingRecord),
  metadata: z.looseObject({
    query: z.looseObject({ startTime: DateTime, endTime: DateTime, bucketSize: BucketSize }),
    recordCount: z.number(),
    totals: BillingAmounts,
  }),
});
export type BillingResponse = z.infer<typeof BillingResponse>;

export const BillingQuery = z.strictObject({
  startTime: DateTime.optional(),
  endTime: DateTime.optional(),
  bucketSize: BucketSize.optional().meta({ default: DEFAULT_BUCKET_SIZE }),
  lastN: countParameter({ min: 1 })
    .optional()
    .meta({
      description: `Number of buckets to return, ending with the current one. Capped at ${MAX_BUCKETS}, and at the number of buckets since the year 1.`,
    }),
});
export type BillingQuery = z.output<typeof BillingQuery>;
