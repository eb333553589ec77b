import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';

/** Endpoints whose workers began to fail, and those that recovered. */
export interface FailureChanges {
  readonly failing: readonly EndpointSnapshot[];
  /** IDs of endpoints. */
  readonly recovered: readonly string[];
}

/**
 * Compares endpoints with the known failures. An endpoint recovers once a worker of it runs and none is unhealthy. Without workers, such as
 * while the platform starts, a failure stays known.
 *
 * @param isKnown returns whether the failure of an endpoint is known
 */
export function failureChanges(
  snapshots: readonly EndpointSnapshot[],
  isKnown: (endpointId: string) => boolean,
): FailureChanges {
  const failing: EndpointSnapshot[] = [];
  const recovered: string[] = [];
  for (const snapshot of snapshots) {
    const { id } = snapshot.endpoint;
    const statuses = (snapshot.workers?.workers ?? []).map(({ status }) => status);
    if (statuses.includes('UNHEALTHY')) {
      if (!isKnown(id)) failing.push(snapshot);
    } else if (isKnown(id) && statuses.some((status) => status === 'IDLE' || status === 'RUNNING')) {
      recovered.push(id);
    }
  }
  return { failing, recovered };
}
