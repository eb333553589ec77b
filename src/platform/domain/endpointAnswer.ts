import { JOB_ID_PLACEHOLDER } from '../../contract/requestUrls.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { fillPath } from '../../contract/operation.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';
import { operations } from '../../contract/operations.ts';
import { cpuMemoryGb } from './workerPrices.ts';
import type { EndpointRecord } from './endpoint.ts';
import { routeSettings } from './routeSettings.ts';

/** Where endpoints are called; `endpointHost` holds a placeholder for the id. */
export interface EndpointAddresses {
  readonly queueUrl: string;
  readonly endpointHost: string;
}

/** The returned object of an endpoint (interface document, "Serverless endpoint"; facts, section 3). */
export function endpointAnswer(endpoint: EndpointRecord, addresses: EndpointAddresses): Endpoint {
  const { id, name, type, scaling, workers, timeout, flashboot, gpu, cpu } = endpoint;
  const answer: Endpoint = {
    id,
    name,
    type,
    // idleTimeout does not apply to this combination and is left out of its answers.
    workers:
      type === 'QUEUE' && scaling.type === 'REQUEST_COUNT' ? { min: workers.min, max: workers.max } : { ...workers },
    scaling: { ...scaling },
    dataCenterIds: [...endpoint.dataCenterIds],
    networkVolumes: [...endpoint.networkVolumes],
    mounts: endpoint.mounts,
    timeout,
    flashboot,
    createdAt: new Date(endpoint.createdAt).toISOString(),
    requestUrls: type === 'QUEUE' ? queueUrls(id, addresses.queueUrl) : routeUrls(endpoint, addresses.endpointHost),
    gpu: gpu
      ? {
          ...gpu,
          count: gpu.count ?? 1,
          allowedCudaVersions: gpu.allowedCudaVersions ?? [],
          minCudaVersion: gpu.minCudaVersion ?? null,
        }
      : null,
    image: endpoint.image,
    env: { ...endpoint.env },
  };
  if (cpu) answer.cpu = cpu.map((entry) => ({ ...entry, memory: cpuMemoryGb(entry) }));
  if (endpoint.args !== undefined) answer.args = endpoint.args;
  if (endpoint.entrypoint) answer.entrypoint = [...endpoint.entrypoint];
  if (endpoint.cmd) answer.cmd = [...endpoint.cmd];
  if (endpoint.disk !== undefined) answer.disk = endpoint.disk;
  if (endpoint.ports) answer.ports = [...endpoint.ports];
  if (endpoint.registry !== undefined) answer.registry = endpoint.registry;
  return answer;
}

/** Other paths than these are the worker's own. */
function routeUrls(endpoint: EndpointRecord, endpointHost: string) {
  const base = endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, endpoint.id);
  return { base, health: base + routeSettings(endpoint).healthPath };
}

function queueUrls(endpointId: string, queueUrl: string) {
  // The id of the job stays a placeholder for the caller to fill in.
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
