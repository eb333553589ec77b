import { requireConnectionOf, requireConnection } from '../../../account/connections/requireConnection.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { JobServicesOfConnection } from '../actions/readJob.ts';
import type { JobServices } from '../run/jobServices.ts';

export type CalledConnection = JobServicesOfConnection & { readonly profile: Profile };

/**
 * Returns what an action needs for the jobs of a connection, which must be the current one.
 *
 * @param connectionId undefined for the current connection
 * @throws NotConnectedError
 */
export function actionServices(services: JobServices, connectionId?: string): CalledConnection {
  const { connections, clock, history, tracking } = services;
  const { client, profile } =
    connectionId === undefined ? requireConnection(connections) : requireConnectionOf(connections, connectionId);
  return { client, profile, connectionId: profile.id, clock, history, tracking };
}
