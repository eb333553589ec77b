import * as z from 'zod';
import { amount, appliedQuery, BillingQuery, bucketFields, reportMetadata } from './billing.ts';

/*
 * Billing per kind of resource: /v2/billing/…. All amounts are USD. Without a filter, a report has one record per resource and bucket.
 * `metadata.query` repeats the filter.
 */

/** The amounts of a report, and the fields that identify a resource in each record, in the repeated query, and in the resource count. */
interface ReportShape {
  readonly amounts: z.ZodRawShape;
  readonly id: z.ZodRawShape;
  readonly filter: z.ZodRawShape;
  readonly count: z.ZodRawShape;
}

function report<Shape extends ReportShape>({ amounts, id, filter, count }: Shape) {
  return z.looseObject({
    records: z
      .array(z.looseObject({ ...bucketFields, ...(id as Shape['id']), ...(amounts as Shape['amounts']) }))
      .meta({ description: 'Records, oldest bucket first.' }),
    metadata: z
      .looseObject({
        query: z
          .looseObject({ ...appliedQuery, ...(filter as Shape['filter']) })
          .meta({ description: 'Query of the report, with its defaults applied.' }),
        ...reportMetadata,
        ...(count as Shape['count']),
        totals: z.looseObject(amounts as Shape['amounts']).meta({ description: 'Sums of the amounts of all records.' }),
      })
      .meta({ description: 'Query and totals of the report.' }),
  });
}

const total = amount('the resource, in total');

/** @param resource kind of resource, with its article */
const idOf = (resource: string) => z.string().meta({ description: `ID of ${resource}.` });
const appliedFilter = z
  .string()
  .nullish()
  .meta({ description: 'Filter of the query. null or omitted: all resources.' });
/** @param resources kind of resource, in the plural */
const countOf = (resources: string) =>
  z.number().meta({ description: `Number of ${resources} that the records contain.` });

const filter = z.string().optional().meta({ description: 'ID of the resource to report. Default: all resources.' });

export const PodBillingQuery = z.strictObject({ ...BillingQuery.shape, podId: filter });
export const PodBillingReport = report({
  amounts: { totalAmount: total, gpuAmount: amount('GPUs'), cpuAmount: amount('vCPUs'), diskAmount: amount('disks') },
  id: { podId: idOf('the pod') },
  filter: { podId: appliedFilter },
  count: { uniquePodCount: countOf('pods') },
});
export type PodBillingReport = z.infer<typeof PodBillingReport>;

export const ServerlessBillingQuery = z.strictObject({ ...BillingQuery.shape, serverlessId: filter });
export const ServerlessBillingReport = report({
  amounts: {
    totalAmount: total,
    gpuAmount: amount('GPUs'),
    cpuAmount: amount('vCPUs'),
    diskAmount: amount('disks'),
    // Deprecated like serverlessFeeAmount: the service includes fees in the other amounts.
    feeAmount: amount('fees')
      .optional()
      .meta({ deprecated: true, description: 'Fees in USD, which the other amounts include.' }),
  },
  id: { serverlessId: idOf('the serverless endpoint') },
  filter: { serverlessId: appliedFilter },
  count: { uniqueServerlessCount: countOf('serverless endpoints') },
});
export type ServerlessBillingReport = z.infer<typeof ServerlessBillingReport>;

/** Spend on public endpoints, such as the image-editing model. Serverless endpoints have a report of their own. */
export const EndpointBillingReport = report({
  amounts: { totalAmount: amount('public endpoints') },
  id: {},
  filter: {},
  count: {},
});
export type EndpointBillingReport = z.infer<typeof EndpointBillingReport>;

export const NetworkVolumeBillingQuery = z.strictObject({ ...BillingQuery.shape, networkVolumeId: filter });
export const NetworkVolumeBillingReport = report({
  amounts: {
    totalAmount: total,
    standardAmount: amount('STANDARD volumes'),
    highPerformanceAmount: amount('HIGH_PERFORMANCE volumes'),
  },
  id: { networkVolumeId: idOf('the network volume') },
  filter: { networkVolumeId: appliedFilter },
  count: { uniqueNetworkVolumeCount: countOf('network volumes') },
});
export type NetworkVolumeBillingReport = z.infer<typeof NetworkVolumeBillingReport>;

export const ClusterBillingQuery = z.strictObject({ ...BillingQuery.shape, clusterId: filter });
export const ClusterBillingReport = report({
  amounts: {
    totalAmount: total,
    gpuAmount: amount('GPUs'),
    diskAmount: amount('disks'),
    networkingAmount: amount('networking'),
  },
  id: { clusterId: idOf('the cluster') },
  filter: { clusterId: appliedFilter },
  count: { uniqueClusterCount: countOf('clusters') },
});
export type ClusterBillingReport = z.infer<typeof ClusterBillingReport>;
