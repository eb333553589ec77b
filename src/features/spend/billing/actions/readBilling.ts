import type { CallOptions } from '../../../../client/request.ts';
import type { Client } from '../../../../client/client.ts';
import { listAll } from '../../../../client/listAll.ts';
import type { BillingQuery, BillingResponse } from '../../../../contract/billing.ts';
import type { NetworkVolumeBillingReport, ServerlessBillingReport } from '../../../../contract/billingReports.ts';
import type { GpuType } from '../../../../contract/catalog.ts';
import type { NetworkVolume } from '../../../../contract/networkVolume.ts';
import type { BillingGrouping } from '../../../../webviews/billing/messages.ts';
import { FORECAST_BUCKETS } from '../../../../account/prices/forecast.ts';
import { spendByEndpoint, spendByGpu, spendByVolume, type NamedGpuEndpoint } from '../model/resourceGroups.ts';
import type { Spend } from '../model/groups.ts';

/* Requests for bills. All functions throw ApiError. */

/** Reads the spend of the account. */
export function readAccount(client: Client, query: BillingQuery, options: CallOptions): Promise<BillingResponse> {
  return client.listBilling({ query }, options);
}

/** Reads the days that a forecast of the current month needs. The last one is the current day of the service. */
export function readMonth(client: Client, options: CallOptions): Promise<BillingResponse> {
  return client.listBilling({ query: { bucketSize: 'day', lastN: FORECAST_BUCKETS } }, options);
}

/** Groupings that have a report of their own. */
export type ReportGrouping = Exclude<BillingGrouping, 'kind'>;

/** A report by resource. */
export type GroupReport =
  | { readonly grouping: 'endpoint' | 'gpu'; readonly report: ServerlessBillingReport }
  | { readonly grouping: 'volume'; readonly report: NetworkVolumeBillingReport };

/** Reads the report of a grouping. */
export async function readGroups(
  client: Client,
  grouping: ReportGrouping,
  query: BillingQuery,
  options: CallOptions,
): Promise<GroupReport> {
  if (grouping === 'volume') return { grouping, report: await client.listNetworkVolumeBilling({ query }, options) };
  return { grouping, report: await client.listServerlessBilling({ query }, options) };
}

/** Names and hardware of the resources in a report. A list is undefined if it was not needed or could not be read. */
export interface Resources {
  readonly endpoints?: readonly NamedGpuEndpoint[] | undefined;
  readonly gpuTypes?: readonly GpuType[] | undefined;
  readonly volumes?: readonly NetworkVolume[] | undefined;
}

/** Reads the resources that name the groups of a grouping. */
export async function readResources(
  client: Client,
  grouping: ReportGrouping,
  options: CallOptions,
): Promise<Resources> {
  if (grouping === 'volume')
    return { volumes: await listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', options) };
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', options);
  if (grouping === 'endpoint') return { endpoints };
  // Without the catalog, the groups have the names of pools.
  const gpuTypes = await client.listGpuTypes({}, options).then(
    ({ gpus }) => gpus,
    () => undefined,
  );
  return { endpoints, gpuTypes };
}

/** Returns the spend of a report by the groups of its grouping. */
export function spendOf(groups: GroupReport, { endpoints, gpuTypes, volumes }: Resources): Spend {
  switch (groups.grouping) {
    case 'endpoint':
      return spendByEndpoint(groups.report, endpoints);
    case 'gpu':
      return spendByGpu(groups.report, endpoints ?? [], gpuTypes);
    case 'volume':
      return spendByVolume(groups.report, volumes);
  }
}
