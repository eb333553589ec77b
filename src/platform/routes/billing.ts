import type { BillingQuery } from '../../contract/billing.ts';
import { operations } from '../../contract/operations.ts';
import { billingReport, publicEndpointReport, resourceReport, type ReportForm } from '../domain/billingReport.ts';
import { resolveWindow } from '../domain/buckets.ts';
import { USAGE_KINDS, type UsageKind } from '../domain/metering.ts';
import type { Services } from '../services.ts';
import type { UsageQuery } from '../store/usageStore.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Billing history: of the account (interface document, Endpoints 1), and of each sort of resource (facts, section 10). */
export function billingRoutes(app: App, { store, clock }: Services): void {
  const read = (accountId: string, query: BillingQuery, of: UsageQuery['of'], kinds: readonly UsageKind[]) => {
    const now = clock.now();
    const window = resolveWindow(query, now);
    // All buckets but hours begin and end with a day.
    const grain = window.bucketSize === 'hour' ? 'hour' : 'day';
    return { window, usage: store.usageSums({ accountId, grain, from: window.start, to: window.end, of, kinds }, now) };
  };
  const report = <Amount extends string, Id extends string, Count extends string>(
    form: ReportForm<Amount, Id, Count>,
    accountId: string,
    query: BillingQuery,
    resourceId: string | undefined,
  ) => {
    const of = resourceId === undefined ? 'eachResource' : { resourceId };
    const { window, usage } = read(accountId, query, of, Object.values<UsageKind>(form.amounts));
    return resourceReport(form, usage, window, resourceId);
  };

  route(app, operations.listBilling, ({ accountId, query }) => {
    const { window, usage } = read(accountId, query, 'account', USAGE_KINDS);
    return billingReport(usage, window);
  });
  route(app, operations.listEndpointBilling, ({ accountId, query }) => {
    const { window, usage } = read(accountId, query, 'account', ['endpoint']);
    return publicEndpointReport(usage, window);
  });
  route(app, operations.listPodBilling, ({ accountId, query }) => report(POD_REPORT, accountId, query, query.podId));
  route(app, operations.listServerlessBilling, ({ accountId, query }) =>
    report(SERVERLESS_REPORT, accountId, query, query.serverlessId),
  );
  route(app, operations.listNetworkVolumeBilling, ({ accountId, query }) =>
    report(VOLUME_REPORT, accountId, query, query.networkVolumeId),
  );
  route(app, operations.listClusterBilling, ({ accountId, query }) =>
    report(CLUSTER_REPORT, accountId, query, query.clusterId),
  );
}

const POD_REPORT = {
  amounts: { gpuAmount: 'podGpu', cpuAmount: 'podCpu', diskAmount: 'podDisk' },
  id: 'podId',
  count: 'uniquePodCount',
} as const;

const SERVERLESS_REPORT = {
  amounts: {
    gpuAmount: 'serverlessGpu',
    cpuAmount: 'serverlessCpu',
    diskAmount: 'serverlessDisk',
    feeAmount: 'serverlessFee',
  },
  id: 'serverlessId',
  count: 'uniqueServerlessCount',
} as const;

const VOLUME_REPORT = {
  amounts: { standardAmount: 'storageStandard', highPerformanceAmount: 'storageHighPerformance' },
  id: 'networkVolumeId',
  count: 'uniqueNetworkVolumeCount',
} as const;

const CLUSTER_REPORT = {
  amounts: { gpuAmount: 'clusterGpu', diskAmount: 'clusterDisk', networkingAmount: 'clusterNetworking' },
  id: 'clusterId',
  count: 'uniqueClusterCount',
} as const;
