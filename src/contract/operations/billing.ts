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
    summary: 'Time-bucketed total spend of the account',
    section: 'Endpoints 1',
    query: BillingQuery,
    success: { status: 200, body: BillingResponse },
    errors: [400, 403, 422],
  }),
  listPodBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/pods',
    summary: 'Time-bucketed spend on pods',
    section: 'facts 10',
    query: PodBillingQuery,
    success: { status: 200, body: PodBillingReport },
    errors: [400, 403, 422],
  }),
  listServerlessBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/serverless',
    summary: 'Time-bucketed spend on serverless endpoints',
    section: 'facts 10',
    query: ServerlessBillingQuery,
    success: { status: 200, body: ServerlessBillingReport },
    errors: [400, 403, 422],
  }),
  listEndpointBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/endpoints',
    summary: 'Time-bucketed spend on public endpoints',
    section: 'facts 10',
    query: BillingQuery,
    success: { status: 200, body: EndpointBillingReport },
    errors: [400, 403, 422],
  }),
  listNetworkVolumeBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/network-volumes',
    summary: 'Time-bucketed spend on network volumes',
    section: 'facts 10',
    query: NetworkVolumeBillingQuery,
    success: { status: 200, body: NetworkVolumeBillingReport },
    errors: [400, 403, 422],
  }),
  listClusterBilling: operation({
    ...group,
    method: 'GET',
    path: '/v2/billing/clusters',
    summary: 'Time-bucketed spend on clusters',
    section: 'facts 10',
    query: ClusterBillingQuery,
    success: { status: 200, body: ClusterBillingReport },
    errors: [400, 403, 422],
  }),
} as const;
