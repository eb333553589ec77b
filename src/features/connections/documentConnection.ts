import type { Client } from '../../client/client.ts';
import type { Profile } from './connectionStore.ts';
import { requireConnection, requireConnectionOf, type Callable, type Connections } from './requireConnection.ts';

interface LoadedConnections extends Connections<Client, Profile> {
  readonly loaded: boolean;
  load(): Promise<void>;
}

/**
 * The connection that a document belongs to. The editor asks for the documents of a window before the stored connections have been read.
 *
 * @param id undefined in an address from an earlier release, which did not name the connection; the current one stands for it
 * @throws NotConnectedError
 */
export async function connectionOfDocument(
  connections: LoadedConnections,
  id: string | undefined,
): Promise<Callable<Client, Profile>> {
  if (!connections.loaded) await connections.load();
  return id === undefined ? requireConnection(connections) : requireConnectionOf(connections, id);
}
