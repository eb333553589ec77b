import * as z from 'zod';
import { DateTime } from './dateTime.ts';
import { countParameter } from './schema.ts';

/* Billing history: GET /v2/billing. All amounts are USD. */

export const BUCKET_SIZES = ['hour', 'day', 'week', 'month', 'year'] as const;
export const BucketSize = z.enum(BUCKET_SIZES);
export type BucketSize = z.infer<typeof BucketSize>;

export const DEFAULT_BUCKET_SIZE: BucketSize = 'day';
/** Days before now at which the window starts if the query has no `startTime`. */
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
  serverlessFeeAmount: usd.meta({ deprecated: true, description: 'Always 0.' }),
  storageStandardAmount: usd,
  storageHighPerformanceAmount: usd,
  endpointAmount: usd.meta({ description: 'Spend on public endpoints, such as the image-editing model.' }),
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
  startTime: DateTime.optional().meta({
    description: `Start of the window, rounded down to the start of its bucket. Default: ${DEFAULT_WINDOW_DAYS} days ago.`,
  }),
  endTime: DateTime.optional().meta({
    description: 'End of the window, exclusive, rounded up to the end of its bucket. Default: now.',
  }),
  bucketSize: BucketSize.optional().meta({
    description: `Length of a bucket. Default: ${DEFAULT_BUCKET_SIZE}.`,
    default: DEFAULT_BUCKET_SIZE,
  }),
  lastN: countParameter({ min: 1 })
    .optional()
    .meta({
      description:
        'Number of buckets to return, ending with the current one. Cannot be combined with startTime or endTime. ' +
        `The maximum is ${MAX_BUCKETS}, or the number of buckets since the year 1.`,
    }),
});
export type BillingQuery = z.output<typeof BillingQuery>;
