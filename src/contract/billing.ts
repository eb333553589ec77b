import * as z from 'zod';
import { DateTime, countParameter } from './schema.ts';

/* Billing history: GET /v2/billing. All amounts are USD. */

export const BUCKET_SIZES = ['hour', 'day', 'week', 'month', 'year'] as const;
export const BucketSize = z
  .enum(BUCKET_SIZES)
  .meta({ description: 'Length of a bucket. Buckets begin at a full hour, day, week, month, or year in UTC.' });
export type BucketSize = z.infer<typeof BucketSize>;

export const DEFAULT_BUCKET_SIZE: BucketSize = 'day';
/** Days before now at which the window starts if the query has no `startTime`. */
export const DEFAULT_WINDOW_DAYS = 30;

/** Maximum number of buckets in a response: more than 22 years of hours. */
export const MAX_BUCKETS = 200_000;

/** @param subject resources that the amount pays for */
export const amount = (subject: string) => z.number().meta({ description: `Spend on ${subject}, in USD.` });

export const BillingAmounts = z.looseObject({
  totalAmount: amount('all resources'),
  podGpuAmount: amount('GPUs of pods'),
  podCpuAmount: amount('vCPUs of pods'),
  podDiskAmount: amount('disks of pods'),
  serverlessGpuAmount: amount('GPUs of serverless workers'),
  serverlessCpuAmount: amount('vCPUs of serverless workers'),
  serverlessDiskAmount: amount('disks of serverless workers'),
  serverlessFeeAmount: z.number().meta({ deprecated: true, description: 'Always 0.' }),
  storageStandardAmount: amount('STANDARD network volumes'),
  storageHighPerformanceAmount: amount('HIGH_PERFORMANCE network volumes'),
  endpointAmount: amount('public endpoints, such as the image-editing model'),
  clusterGpuAmount: amount('GPUs of clusters'),
  clusterDiskAmount: amount('disks of clusters'),
  clusterNetworkingAmount: amount('networking of clusters'),
});
export type BillingAmounts = z.infer<typeof BillingAmounts>;

/** The half-open bucket [startTime, endTime). */
export const bucketFields = {
  startTime: DateTime.meta({ description: 'Start of the bucket, inclusive, as an RFC 3339 date-time.' }),
  endTime: DateTime.meta({ description: 'End of the bucket, exclusive, as an RFC 3339 date-time.' }),
};

/** The window and the bucket size of a report, as the service applied them. */
export const appliedQuery = {
  startTime: DateTime.meta({ description: 'Start of the window, inclusive, as an RFC 3339 date-time.' }),
  endTime: DateTime.meta({ description: 'End of the window, exclusive, as an RFC 3339 date-time.' }),
  bucketSize: BucketSize,
};

/** Fields of the metadata of every report. */
export const reportMetadata = { recordCount: z.number().meta({ description: 'Number of records.' }) };

/** A bucket and its amounts. */
export const BillingRecord = z.looseObject({ ...bucketFields, ...BillingAmounts.shape });
export type BillingRecord = z.infer<typeof BillingRecord>;

export const BillingResponse = z.looseObject({
  records: z.array(BillingRecord).meta({ description: 'Buckets, oldest first.' }),
  metadata: z
    .looseObject({
      query: z.looseObject(appliedQuery).meta({ description: 'Query of the report, with its defaults applied.' }),
      ...reportMetadata,
      totals: BillingAmounts.meta({ description: 'Sums of the amounts of all records.' }),
    })
    .meta({ description: 'Query and totals of the report.' }),
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
        `The maximum is ${MAX_BUCKETS}, and the first bucket must not begin before the year 1.`,
    }),
});
export type BillingQuery = z.output<typeof BillingQuery>;
