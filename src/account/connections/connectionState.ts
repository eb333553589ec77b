import { idPart } from '../../text/idPart.ts';

/* State that the editor stores for each connection. The key of each value contains the connection's ID. */

/** The members of `vscode.Memento` that this module uses. */
export interface StateStorage {
  keys(): readonly string[];
  get(key: string): unknown;
  /** A value of undefined deletes the key. */
  update(key: string, value: unknown): PromiseLike<void>;
}

const PREFIX = 'cloudCompute.connection/';

/** Returns the storage key of a value that belongs to one connection. @param name name of the value, such as `jobs.recent` */
export function stateKey(connectionId: string, name: string): string {
  return `${PREFIX}${idPart(connectionId)}/${name}`;
}

/** Deletes the values of all connections except these. */
export async function keepStateOf(connectionIds: Iterable<string>, storage: StateStorage): Promise<void> {
  const kept = [...connectionIds].map((id) => stateKey(id, ''));
  const gone = storage.keys().filter((key) => key.startsWith(PREFIX) && !kept.some((start) => key.startsWith(start)));
  await Promise.all(gone.map((key) => storage.update(key, undefined)));
}
