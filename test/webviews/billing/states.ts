import type { BillingAmounts } from '../../../src/contract/billing.ts';
import type { BillingState } from '../../../src/features/spend/billing/billingStore.ts';
import { response, selection, serverless, serverlessReport } from './sample.ts';

/* States of the billing store for tests and benchmarks of the page. */

export const NOW = Date.parse('2025-11-21T14:30:00.000Z');
const DAY_MS = 86_400_000;

/** The two months of days that a forecast is based on. */
const month = response(
  'day',
  '2025-09-21',
  Array.from({ length: 62 }, (_, index) => ({ serverlessGpuAmount: index < 40 ? 0 : 18 + (index % 5) })),
);

/** A day on the local platform with a few hours of one CPU worker. */
export const localDay: Partial<BillingState> = {
  account: {
    value: response('hour', '2025-11-20T15:00Z', [
      ...new Array<undefined>(19).fill(undefined),
      { serverlessCpuAmount: 0.00041, serverlessDiskAmount: 0.00006 },
      { serverlessCpuAmount: 0.0012, serverlessDiskAmount: 0.00018 },
      undefined,
      { serverlessCpuAmount: 0.0008, serverlessDiskAmount: 0.00012 },
      { serverlessCpuAmount: 0.0004, serverlessDiskAmount: 0.00006 },
    ]),
    readAt: NOW,
  },
};

const spentOn = (index: number): Partial<BillingAmounts> => {
  const wave = 1 + Math.sin(index / 3);
  return {
    serverlessGpuAmount: 12 * wave,
    serverlessCpuAmount: 2.5 * wave,
    serverlessDiskAmount: 0.4,
    endpointAmount: index % 4 === 0 ? 3.2 : 0,
    storageStandardAmount: 1.1,
    storageHighPerformanceAmount: 0.7,
    podGpuAmount: index > 12 ? 9 : 0,
    podCpuAmount: index > 12 ? 1.4 : 0,
    podDiskAmount: index > 12 ? 0.5 : 0,
    clusterGpuAmount: index > 20 ? 14 : 0,
    clusterDiskAmount: index > 20 ? 1 : 0,
    // A credit.
    clusterNetworkingAmount: index === 24 ? -12 : index > 20 ? 0.6 : 0,
  };
};

/** A month on a hosted platform with spend in all series, and a credit on one day. */
export const hostedMonth: Partial<BillingState> = {
  selection: selection({ period: 'month', bucketSize: 'day' }),
  account: {
    value: response(
      'day',
      '2025-10-23',
      Array.from({ length: 30 }, (_, index) => spentOn(index)),
    ),
    readAt: NOW,
  },
  before: {
    value: response(
      'day',
      '2025-09-24',
      Array.from({ length: 29 }, () => ({ serverlessGpuAmount: 20 })),
    ),
  },
  month: { value: month },
};

const WINDOW = ['2025-10-23T00:00:00.000Z', '2025-11-22T00:00:00.000Z'] as const;
const dayOf = (index: number) => new Date(Date.parse(WINDOW[0]) + index * DAY_MS).toISOString();

const endpointRecords = Array.from({ length: 30 }, (_, day) =>
  Array.from({ length: 15 }, (_, endpoint) =>
    serverless(dayOf(day), `endpoint${endpoint}`, {
      gpu: endpoint % 3 === 2 ? 0 : (15 - endpoint) / 4 + (day % 7) / 8,
      cpu: endpoint % 3 === 2 ? (15 - endpoint) / 16 : 0,
      disk: 0.03125,
    }),
  ),
).flat();

/** The month of the hosted platform by endpoint: 15 endpoints, of which one was deleted. */
export const byEndpoint: Partial<BillingState> = {
  ...hostedMonth,
  selection: selection({ period: 'month', bucketSize: 'day', grouping: 'endpoint' }),
  groups: { value: { grouping: 'endpoint', report: serverlessReport(endpointRecords, WINDOW) } },
  resources: {
    value: {
      endpoints: Array.from({ length: 14 }, (_, index) => ({
        id: `endpoint${index}`,
        name: `model-${String.fromCharCode(97 + index)}`,
        gpu: index % 3 === 2 ? null : { pools: [index % 3 === 0 ? 'ADA_24' : 'AMPERE_80'] },
      })),
    },
  },
};
