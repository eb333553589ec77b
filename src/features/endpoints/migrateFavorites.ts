import * as z from 'zod';
import { stateKey, type StateStorage } from '../connections/connectionState.ts';
import { idsOf, type StoredConnections } from '../connections/storedConnections.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';

/* Moves favorites that earlier releases stored under other keys. Each old key is deleted, so that its favorites move only once. */

/** Key of favorites that belong to no connection. */
const UNCONNECTED_KEY = 'cloudCompute.endpoints.favourites';
const keyOf = (connectionId: string) => stateKey(connectionId, 'endpoints.favourites');

const EndpointIds = z.array(z.string()).catch([]);

/** Adds favorites without a connection to every connection, because IDs of unknown endpoints have no effect. */
export async function migrateFavorites(
  storage: StateStorage,
  options: ViewOptionsStore,
  connections: StoredConnections,
): Promise<void> {
  const ids = idsOf(connections);
  await move(UNCONNECTED_KEY, ids, storage, options);
  for (const id of ids) await move(keyOf(id), [id], storage, options);
}

async function move(
  key: string,
  connectionIds: readonly string[],
  storage: StateStorage,
  options: ViewOptionsStore,
): Promise<void> {
  const stored = storage.get(key);
  if (stored === undefined) return;
  const endpointIds = EndpointIds.parse(stored);
  if (endpointIds.length > 0) for (const id of connectionIds) await options.setFavorite(id, endpointIds, true);
  await storage.update(key, undefined);
}
