import * as z from 'zod';
import { LOCAL_ID } from '../connections/connectionDocument.ts';
import type { StateStorage } from '../connections/connectionState.ts';
import { connectionWith, idsOf, type StoredConnections } from '../connections/storedConnections.ts';
import { StoredJob, type JobHistoryStore } from './jobHistoryStore.ts';
import { readInputs, type LastInputStore } from './lastInputStore.ts';

/* Moves values that earlier releases stored under keys without a connection. Deletes the old keys, so that the values move only once. */

const OLD_HISTORY = 'cloudCompute.jobs.recent';
const OLD_INPUTS = 'cloudCompute.jobs.lastInput';

/** Lists of jobs by `local` or by the base URL of a hosted platform. */
const OldHistory = z.record(z.string(), z.array(StoredJob).catch([]));

/** Moves each list of jobs to a connection with its address. Drops lists of unknown addresses. */
export async function migrateHistory(
  storage: StateStorage,
  history: JobHistoryStore,
  connections: StoredConnections,
): Promise<void> {
  const stored = storage.get(OLD_HISTORY);
  if (stored === undefined) return;
  for (const [address, jobs] of Object.entries(OldHistory.safeParse(stored).data ?? {})) {
    const connectionId = address === 'local' ? LOCAL_ID : connectionWith(address, connections);
    if (connectionId !== undefined) await history.append(connectionId, jobs);
  }
  await storage.update(OLD_HISTORY, undefined);
}

/** Moves each input to the connection whose history contains a job of its endpoint, else to the current connection. */
export async function migrateInputs(
  storage: StateStorage,
  inputs: LastInputStore,
  history: JobHistoryStore,
  connections: StoredConnections,
): Promise<void> {
  const stored = storage.get(OLD_INPUTS);
  if (stored === undefined) return;
  for (const [endpointId, body] of Object.entries(readInputs(stored))) {
    const ran = (id: string) => history.recent(id).some((job) => job.endpointId === endpointId);
    const connectionId = idsOf(connections).find(ran) ?? connections.current ?? LOCAL_ID;
    if (!inputs.get(connectionId, endpointId)) await inputs.put(connectionId, endpointId, body);
  }
  await storage.update(OLD_INPUTS, undefined);
}
