import type { RunLabels } from '../runSpec.ts';

/* Labels of the containers and networks of a platform. They contain no secrets. */

const OWNER = 'cloud-compute.owner';
const RUN = 'cloud-compute.run';

export function labelsOf({ owner, endpointId, workerId, runId }: RunLabels): Record<string, string> {
  return {
    [OWNER]: owner,
    'cloud-compute.endpoint': endpointId,
    'cloud-compute.worker': workerId,
    [RUN]: runId,
  };
}

/** Labels of the network of an endpoint. */
export function networkLabels({ owner, endpointId }: RunLabels): Record<string, string> {
  return { [OWNER]: owner, 'cloud-compute.endpoint': endpointId };
}

/** Returns the value of the parameter `filters` that selects the containers or networks of one platform. */
export function ownedBy(owner: string): string {
  return JSON.stringify({ label: [`${OWNER}=${owner}`] });
}

/** Returns the value of the parameter `filters` that selects the networks of one endpoint. */
export function ofEndpoint(labels: RunLabels): string {
  return JSON.stringify({ label: Object.entries(networkLabels(labels)).map(([name, value]) => `${name}=${value}`) });
}

/** Returns the ID of the run that a container belongs to. */
export function runOf(labels: Readonly<Record<string, string>> | null | undefined): string | undefined {
  return labels?.[RUN];
}

/** Name of the container of a run. The engine refuses a second container with this name, so a run starts once. */
export const containerName = (runId: string): string => `cloud-compute-${runId}`;

/** Name of a network of the workers of an endpoint. */
export const networkName = (endpointId: string, suffix: string): string => `cloud-compute-${endpointId}-${suffix}`;
