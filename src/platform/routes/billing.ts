import type { BillingQuery } from '../../contract/billing.ts';
import { operations } from '../../contract/operations.ts';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  billingReport,
  publicEndpointReport,
  resourceReport,
  type Report,
  type ReportForm,
} from '../domain/billingReport.ts';
import { USAGE_KINDS, type UsageKind } from '../domain/metering.ts';
import type { Services, App } from './services.ts';
import { JsonStream, route } from './route.ts';

/** Routes for the billing history of the account and of each kind of resource. */
export function billingRoutes(app: App, { bills }: Services): void {
  const report = <Amount extends string, Id extends string, Count extends string>(
    form: ReportForm<Amount, Id, Count>,
    accountId: string,
    query: BillingQuery,
    resourceId: string | undefined,
  ) => {
    const of = resourceId === undefined ? 'eachResource' : { resourceId };
    const { window, sums } = bills.of(accountId, query, of, Object.values<UsageKind>(form.amounts));
    return answerOf(resourceReport(form, sums, window, resourceId));
  };

  route(app, operations.listBilling, ({ accountId, query }) => {
    const { window, sums } = bills.of(accountId, query, 'account', USAGE_KINDS);
    return answerOf(billingReport(sums, window));
  });
  route(app, operations.listEndpointBilling, ({ accountId, query }) => {
    const { window, sums } = bills.of(accountId, query, 'account', ['endpoint']);
    return answerOf(publicEndpointReport(sums, window));
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

/** Answers a short report at once. Streams a long one, and lets other requests run between its batches. */
function answerOf<Answer extends { readonly records: readonly unknown[]; readonly metadata: unknown }>({
  batches,
  metadata,
}: Report<Answer>): Answer | JsonStream {
  const rest = batches[Symbol.iterator]() as Iterator<readonly unknown[], undefined>;
  const first = rest.next();
  const second = rest.next();
  if (second.done) return { records: first.value ?? [], metadata: metadata() } as unknown as Answer;
  async function* text(): AsyncGenerator<string> {
    yield '{"records":[';
    let separator = '';
    for (let batch = first; !batch.done; batch = batch === first ? second : rest.next()) {
      if (batch.value.length > 0) {
        yield separator + JSON.stringify(batch.value).slice(1, -1);
        separator = ',';
      }
      await yieldToEventLoop();
    }
    yield `],"metadata":${JSON.stringify(metadata())}}`;
  }
  return new JsonStream(text());
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
