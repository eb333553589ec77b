import * as z from 'zod';
import { BillingQuery, BucketSize } from './billing.ts';
import { DateTime } from './dateTime.ts';

/*
 * Billing per kind of resource: /v2/billing/…. All amounts are USD. Without a filter, a report has one record per resource and bucket.
 * `metadata.query` repeats the filter.
 */

const usd = z.number();
const bucket = { startTime: DateTime, endTime: DateTime };

/** The amounts of a report, and the fields that identify a resource in each record, in the repeated query, and in the resource count. */
interface ReportShape {
  readonly amounts: z.ZodRawShape;
  readonly id: z.ZodRawShape;
  readonly filter: z.ZodRawShape;
  readonly count: z.ZodRawShape;
}

function report<Shape extends ReportShape>({ amounts, id, filter, count }: Shape) {
  return z.looseObject({
    records: z.array(z.looseObject({ ...bucket, ...(id as Shape['id']), ...(amounts as Shape['amounts']) })),
    metadata: z.looseObject({
      query: z.looseObject({ ...bucket, bucketSize: BucketSize, ...(filter as Shape['filter']) }),
      recordCount: z.number(),
      ...(count as Shape['count']),
      totals: z.looseObject(amounts as Shape['amounts']),
    }),
  });
}

const filter = z.string().optional().meta({ description: 'ID of the resource to report. Default: all resources.' });

export const PodBillingQuery = z.strictObject({ ...BillingQuery.shape, podId: filter });
export const PodBillingReport = report({
  amounts: { totalAmount: usd, gpuAmount: usd, cpuAmount: usd, diskAmount: usd },
  id: { podId: z.string() },
  filter: { podId: z.string().nullish() },
  count: { uniquePodCount: z.number() },
});
export type PodBillingReport = z.infer<typeof PodBillingReport>;

export const ServerlessBillingQuery = z.strictObject({ ...BillingQuery.shape, serverlessId: filter });
export const ServerlessBillingReport = report({
  amounts: {
    totalAmount: usd,
    gpuAmount: usd,
    cpuAmount: usd,
    diskAmount: usd,
    // Deprecated like serverlessFeeAmount: the service includes fees in the other amounts.
    feeAmount: usd.optional().meta({ deprecated: true }),
  },
  id: { serverlessId: z.string() },
  filter: { serverlessId: z.string().nullish() },
  count: { uniqueServerlessCount: z.number() },
});
export type ServerlessBillingReport = z.infer<typeof ServerlessBillingReport>;

/** Spend on public endpoints, such as the image-editing model. Serverless endpoints have a report of their own. */
export const EndpointBillingReport = report({ amounts: { totalAmount: usd }, id: {}, filter: {}, count: {} });
export type EndpointBillingReport = z.infer<typeof EndpointBillingReport>;

export const NetworkVolumeBillingQuery = z.strictObject({ ...BillingQuery.shape, networkVolumeId: filter });
export const NetworkVolumeBillingReport = report({
  amounts: { totalAmount: usd, standardAmount: usd, highPerformanceAmount: usd },
  id: { networkVolumeId: z.string() },
  filter: { networkVolumeId: z.string().nullish() },
  count: { uniqueNetworkVolumeCount: z.number() },
});
export type NetworkVolumeBillingReport = z.infer<typeof NetworkVolumeBillingReport>;

export const ClusterBillingQuery = z.strictObject({ ...BillingQuery.shape, clusterId: filter });
export const ClusterBillingReport = report({
  amounts: { totalAmount: usd, gpuAmount: usd, diskAmount: usd, networkingAmount: usd },
  id: { clusterId: z.string() },
  filter: { clusterId: z.string().nullish() },
  count: { uniqueClusterCount: z.number() },
});
export type ClusterBillingReport = z.infer<typeof ClusterBillingReport>;
