import type { Client } from '../../client/client.ts';
import type { Profile } from './connectionStore.ts';
import { requireConnectionOf, type Callable, type Connections } from './requireConnection.ts';

interface LoadedConnections extends Connections<Client, Profile> {
  readonly loaded: boolean;
  load(): Promise<void>;
}

/**
 * Resolves the connection that a document belongs to. Loads the stored connections first, because the editor restores documents before
 * they are loaded.
 * @throws NotConnectedError
 */
export async function connectionOfDocument(
  connections: LoadedConnections,
  id: string,
): Promise<Callable<Client, Profile>> {
  if (!connections.loaded) await connections.load();
  return requireConnectionOf(connections, id);
}
