import { idPart } from '../../vscode/text/idPart.ts';

/* What the editor stores for one connection, apart from the connection itself. The key of each value contains the connection's id. */

/** The part of the editor's storage that is used. A `vscode.Memento` is one. */
export interface StateStorage {
  keys(): readonly string[];
  get(key: string): unknown;
  /** A value of undefined deletes the key. */
  update(key: string, value: unknown): PromiseLike<void>;
}

const PREFIX = 'cloudCompute.connection/';

/** The key of a value that belongs to one connection. @param name what the value is, such as `jobs.recent` */
export function stateKey(connectionId: string, name: string): string {
  return `${PREFIX}${idPart(connectionId)}/${name}`;
}

/** Deletes the values of all connections but these. */
export async function keepStateOf(connectionIds: Iterable<string>, storage: StateStorage): Promise<void> {
  const kept = [...connectionIds].map((id) => stateKey(id, ''));
  const gone = storage.keys().filter((key) => key.startsWith(PREFIX) && !kept.some((start) => key.startsWith(start)));
  await Promise.all(gone.map((key) => storage.update(key, undefined)));
}
