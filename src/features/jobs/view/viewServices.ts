import { requireConnectionOf, requireConnection } from '../../connections/requireConnection.ts';
import type { Profile } from '../../connections/connectionStore.ts';
import type { JobServicesOfConnection } from '../actions/readJob.ts';
import type { JobRequests } from '../requests/jobRequests.ts';
import type { JobServices } from '../runJob.ts';
import type { JobTracking } from '../tracking/jobTracking.ts';

/** Services of the jobs view. */
export interface JobViewServices extends JobServices {
  readonly requests: JobRequests;
  readonly tracking: JobTracking;
}

export type CalledConnection = JobServicesOfConnection & { readonly profile: Profile };

/**
 * Returns what an action needs for the jobs of a connection, which must be the current one.
 *
 * @param connectionId undefined for the current connection
 * @throws NotConnectedError
 */
export function actionServices(services: JobViewServices, connectionId?: string): CalledConnection {
  const { connections, clock, history, tracking } = services;
  const { client, profile } =
    connectionId === undefined ? requireConnection(connections) : requireConnectionOf(connections, connectionId);
  return { client, profile, connectionId: profile.id, clock, history, tracking };
}
