import * as z from 'zod';
import { BillingQuery, BucketSize } from './billing.ts';
import { DateTime } from './schema.ts';

/*
 * Billing per kind of resource: /v2/billing/… (facts, section 10). All amounts are USD. Without a filter there is one record per
 * resource and bucket; the filter is echoed in `metadata.query`.
 */

const usd = z.number();
const bucket = { startTime: DateTime, endTime: DateTime };

/** The amounts, the record's and the query's member that names a resource, and the metadata's member that counts them. */
interface ReportShape<Amounts extends z.ZodRawShape, Id extends z.ZodRawShape, Count extends z.ZodRawShape> {
  readonly amounts: Amounts;
  readonly id: Id;
  readonly count: Count;
}

function report<Amounts extends z.ZodRawShape, Id extends z.ZodRawShape, Count extends z.ZodRawShape>({
  amounts,
  id,
  count,
}: ReportShape<Amounts, Id, Count>) {
  return z.looseObject({
    records: z.array(z.looseObject({ ...bucket, ...id, ...amounts })),
    metadata: z.looseObject({
      query: z.looseObject({ ...bucket, bucketSize: BucketSize }),
      recordCount: z.number(),
      ...count,
      totals: z.looseObject(amounts),
    }),
  });
}

const filter = z.string().optional().meta({ description: 'Only this one.' });

export const PodBillingQuery = z.strictObject({ ...BillingQuery.shape, podId: filter });
export const PodBillingReport = report({
  amounts: { totalAmount: usd, gpuAmount: usd, cpuAmount: usd, diskAmount: usd },
  id: { podId: z.string() },
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
    // Deprecated like serverlessFeeAmount: the service says it folds it into the others.
    feeAmount: usd.optional().meta({ deprecated: true }),
  },
  id: { serverlessId: z.string() },
  count: { uniqueServerlessCount: z.number() },
});
export type ServerlessBillingReport = z.infer<typeof ServerlessBillingReport>;

/** Public endpoints, such as the image-editing model; not serverless ones. */
export const EndpointBillingReport = report({ amounts: { totalAmount: usd }, id: {}, count: {} });
export type EndpointBillingReport = z.infer<typeof EndpointBillingReport>;

export const NetworkVolumeBillingQuery = z.strictObject({ ...BillingQuery.shape, networkVolumeId: filter });
export const NetworkVolumeBillingReport = report({
  amounts: { totalAmount: usd, standardAmount: usd, highPerformanceAmount: usd },
  id: { networkVolumeId: z.string() },
  count: { uniqueNetworkVolumeCount: z.number() },
});
export type NetworkVolumeBillingReport = z.infer<typeof NetworkVolumeBillingReport>;

export const ClusterBillingQuery = z.strictObject({ ...BillingQuery.shape, clusterId: filter });
export const ClusterBillingReport = report({
  amounts: { totalAmount: usd, gpuAmount: usd, diskAmount: usd, networkingAmount: usd },
  id: { clusterId: z.string() },
  count: { uniqueClusterCount: z.number() },
});
export type ClusterBillingReport = z.infer<typeof ClusterBillingReport>;
