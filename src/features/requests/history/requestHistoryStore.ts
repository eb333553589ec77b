import * as z from 'zod';
import { ROUTE_METHODS } from '../../../contract/route.ts';
import { KeyedState, type StateStorage } from '../../../kit/keyedState.ts';
import { HISTORY_NAME } from '../requestShells.ts';

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

/** Stores the last requests of each connection, newest first. */
export class RequestHistoryStore {
  readonly #requests: KeyedState<StoredRequest>;
  /** Fires with the ID of the connection whose requests changed. */
  readonly onDidChange: KeyedState<StoredRequest>['onDidChange'];

  constructor(storage: StateStorage) {
    const options = { name: HISTORY_NAME, schema: StoredRequest, max: MAX_STORED_REQUESTS };
    this.#requests = new KeyedState(storage, options);
    this.onDidChange = this.#requests.onDidChange;
  }

  recent(connectionId: string): readonly StoredRequest[] {
    return [...this.#requests.entries(connectionId).values()].reverse();
  }

  find(connectionId: string, id: string): StoredRequest | undefined {
    return this.#requests.get(connectionId, id);
  }

  /** Adds a request, or replaces its entry in place. Resolves with the IDs of requests that were removed to make room. */
  put(connectionId: string, request: StoredRequest): Promise<readonly string[]> {
    return this.#requests.put(connectionId, request.id, request);
  }

  remove(connectionId: string, ids: readonly string[]): Promise<void> {
    return this.#requests.remove(connectionId, ids);
  }

  dispose(): void {
    this.#requests.dispose();
  }
}
