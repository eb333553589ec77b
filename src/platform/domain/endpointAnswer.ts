import { JOB_ID_PLACEHOLDER } from '../../contract/requestUrls.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { localSettingsOf } from '../../contract/localSettings.ts';
import { fillPath } from '../../contract/operation.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';
import { operations } from '../../contract/operations.ts';
import { cpuMemoryGb } from './workerPrices.ts';
import type { EndpointRecord } from './endpoint.ts';
import { routeSettings } from './routeSettings.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** Base URLs for invocations. `endpointHost` contains a placeholder for the ID. */
export interface EndpointAddresses {
  readonly queueUrl: string;
  readonly endpointHost: string;
}

/** Returns the endpoint in the form of a response. */
export function endpointAnswer(endpoint: EndpointRecord, addresses: EndpointAddresses): Endpoint {
  const { accountId: _, version: _version, templateId: _templateId, local, createdAt, ...settings } = endpoint;
  const { id, type, scaling, workers, gpu, cpu } = settings;
  return {
    ...settings,
    // idleTimeout does not apply to this combination, so responses omit it.
    workers: type === 'QUEUE' && scaling.type === 'REQUEST_COUNT' ? { min: workers.min, max: workers.max } : workers,
    createdAt: dateTime(createdAt),
    requestUrls: type === 'QUEUE' ? queueUrls(id, addresses.queueUrl) : routeUrls(endpoint, addresses.endpointHost),
    gpu: gpu
      ? {
          ...gpu,
          count: gpu.count ?? 1,
          allowedCudaVersions: gpu.allowedCudaVersions ?? [],
          minCudaVersion: gpu.minCudaVersion ?? null,
        }
      : null,
    cpu: cpu?.map((entry) => ({ ...entry, memory: cpuMemoryGb(entry) })),
    ...(localSettingsOf(local) && { 'x-local': local }),
  };
}

/** Returns the base URL and the health URL. The worker defines all other paths. */
function routeUrls(endpoint: EndpointRecord, endpointHost: string) {
  const base = endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, endpoint.id);
  return { base, health: base + routeSettings(endpoint).healthPath };
}

function queueUrls(endpointId: string, queueUrl: string) {
  // The placeholder of the job's ID stays in the URL for the caller to fill in.
  const placeholder = JOB_ID_PLACEHOLDER;
  const url = ({ path }: { path: string }): string =>
    queueUrl + fillPath(path, { endpointId, jobId: placeholder }).replace(encodeURIComponent(placeholder), placeholder);
  return {
    run: url(operations.runJob),
    runSync: url(operations.runJobSync),
    status: url(operations.getJobStatus),
    stream: url(operations.streamJob),
    cancel: url(operations.cancelJob),
    retry: url(operations.retryJob),
    purgeQueue: url(operations.purgeQueue),
    health: url(operations.getEndpointHealth),
  };
}
