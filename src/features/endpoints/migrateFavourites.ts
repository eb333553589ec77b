import * as z from 'zod';
import type { StateStorage } from '../connections/connectionState.ts';
import { idsOf, type StoredConnections } from '../connections/storedConnections.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';

const OLD_FAVOURITES = 'cloudCompute.endpoints.favourites';

/**
 * Gives the favourites of earlier releases, which were stored without a connection, to every connection: ids of endpoints that a
 * connection does not have do nothing. The old key is deleted, so that this happens once.
 */
export async function migrateFavourites(
  storage: StateStorage,
  options: ViewOptionsStore,
  connections: StoredConnections,
): Promise<void> {
  const stored = storage.get(OLD_FAVOURITES);
  if (stored === undefined) return;
  const ids = z.array(z.string()).safeParse(stored).data ?? [];
  if (ids.length > 0) for (const id of idsOf(connections)) await options.setFavourite(id, ids, true);
  await storage.update(OLD_FAVOURITES, undefined);
}
