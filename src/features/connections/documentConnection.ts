import type { Client } from '../../client/client.ts';
import type { Profile } from './connectionStore.ts';
import { requireConnection, requireConnectionOf, type Callable, type Connections } from './requireConnection.ts';

interface LoadedConnections extends Connections<Client, Profile> {
  readonly loaded: boolean;
  load(): Promise<void>;
}

/**
 * Resolves the connection that a document belongs to. Loads the stored connections first, because the editor restores documents before
 * they are loaded.
 *
 * @param id undefined in an address from an earlier release, which does not contain a connection; the current one is used
 * @throws NotConnectedError
 */
export async function connectionOfDocument(
  connections: LoadedConnections,
  id: string | undefined,
): Promise<Callable<Client, Profile>> {
  if (!connections.loaded) await connections.load();
  return id === undefined ? requireConnection(connections) : requireConnectionOf(connections, id);
}
