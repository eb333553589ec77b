import * as z from 'zod';
import { ROUTE_METHODS } from '../../../contract/route.ts';
import { Emitter } from '../../../kit/emitter.ts';
import { stateKey, type StateStorage } from '../../../account/connections/connectionState.ts';
import { HISTORY_NAME } from '../requestShells.ts';
import { storedEntries, type StoredEntries } from '../../../kit/storedEntries.ts';

export const StoredRequest = z.object({
  id: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  endpointType: z.enum(['QUEUE', 'LOAD_BALANCER']),
  method: z.enum([...ROUTE_METHODS, 'WEBSOCKET']),
  /** Path and query, without values that look like secrets. */
  path: z.string(),
  /** Milliseconds since the epoch. */
  sentAt: z.number(),
  /** End of the request. Undefined while it runs, and if the editor closed before its end. */
  end: z.enum(['complete', 'canceled', 'cut', 'tooLarge', 'failed']).optional(),
  status: z.number().optional(),
  /** Times from the first attempt, in ms. */
  firstByteMs: z.number().optional(),
  totalMs: z.number().optional(),
  /** Received bytes. */
  size: z.number().optional(),
  workerId: z.string().optional(),
  /** Address of the HTTP file. */
  file: z.string().optional(),
  /** Name of the request in its file. */
  name: z.string().optional(),
});
/** A request that this editor sent. Headers and bodies are not part of it, because they can be private or large. */
export type StoredRequest = z.infer<typeof StoredRequest>;

/** Maximum number of stored requests per connection. */
export const MAX_STORED_REQUESTS = 100;

const keyOf = (connectionId: string) => stateKey(connectionId, HISTORY_NAME);

/** Stores the last requests of each connection, newest first. */
export class RequestHistoryStore {
  readonly #storage: StateStorage;
  readonly #changed = new Emitter<string>();
  /** Fires with the ID of the connection whose requests changed. */
  readonly onDidChange = this.#changed.event;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  recent(connectionId: string): readonly StoredRequest[] {
    return this.#read(connectionId).entries;
  }

  find(connectionId: string, id: string): StoredRequest | undefined {
    return this.recent(connectionId).find((request) => request.id === id);
  }

  /** Adds a request, or replaces its entry in place. Resolves with the IDs of requests that were removed to make room. */
  async put(connectionId: string, request: StoredRequest): Promise<readonly string[]> {
    const requests = this.recent(connectionId);
    const isKnown = requests.some(({ id }) => id === request.id);
    const all = isKnown ? requests.map((old) => (old.id === request.id ? request : old)) : [request, ...requests];
    await this.#store(connectionId, all.slice(0, MAX_STORED_REQUESTS));
    return all.slice(MAX_STORED_REQUESTS).map(({ id }) => id);
  }

  async remove(connectionId: string, ids: readonly string[]): Promise<void> {
    await this.#store(
      connectionId,
      this.recent(connectionId).filter(({ id }) => !ids.includes(id)),
    );
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #read(connectionId: string): StoredEntries<StoredRequest> {
    return storedEntries(StoredRequest, this.#storage.get(keyOf(connectionId)));
  }

  async #store(connectionId: string, requests: readonly StoredRequest[]): Promise<void> {
    const { others } = this.#read(connectionId);
    await this.#storage.update(keyOf(connectionId), [...requests, ...others].slice(0, MAX_STORED_REQUESTS));
    this.#changed.fire(connectionId);
  }
}
