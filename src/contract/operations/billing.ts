import { BillingQuery, BillingResponse } from '../billing.ts';
import {
  ClusterBillingQuery,
  ClusterBillingReport,
  EndpointBillingReport,
  NetworkVolumeBillingQuery,
  NetworkVolumeBillingReport,
  PodBillingQuery,
  PodBillingReport,
  ServerlessBillingQuery,
  ServerlessBillingReport,
} from '../billingReports.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Billing' } as const;

export const billingOperations = {
  listBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing',
    summary: 'Get the total spend of the account per time bucket',
    query: BillingQuery,
    success: { status: 200, body: BillingResponse },
    errors: [400, 403, 422],
  }),
  listPodBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/pods',
    summary: 'Get the spend on pods per time bucket',
    query: PodBillingQuery,
    success: { status: 200, body: PodBillingReport },
    errors: [400, 403, 422],
  }),
  listServerlessBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/serverless',
    summary: 'Get the spend on serverless endpoints per time bucket',
    query: ServerlessBillingQuery,
    success: { status: 200, body: ServerlessBillingReport },
    errors: [400, 403, 422],
  }),
  listEndpointBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/endpoints',
    summary: 'Get the spend on public endpoints per time bucket',
    query: BillingQuery,
    success: { status: 200, body: EndpointBillingReport },
    errors: [400, 403, 422],
  }),
  listNetworkVolumeBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/network-volumes',
    summary: 'Get the spend on network volumes per time bucket',
    query: NetworkVolumeBillingQuery,
    success: { status: 200, body: NetworkVolumeBillingReport },
    errors: [400, 403, 422],
  }),
  listClusterBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/clusters',
    summary: 'Get the spend on clusters per time bucket',
    query: ClusterBillingQuery,
    success: { status: 200, body: ClusterBillingReport },
    errors: [400, 403, 422],
  }),
} as const;
