import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { oneOf } from '../../kit/smallSchema.ts';

/** Stores the endpoints for which the user turned off idle notices. The maximum limits the stored IDs of deleted endpoints. */
export class SilencedStore {
  readonly #endpoints: KeyedState<true>;

  constructor(storage: StateStorage) {
    this.#endpoints = new KeyedState(storage, { name: 'costs.silencedIdle', schema: oneOf(true), max: 500 });
  }

  has(connectionId: string, endpointId: string): boolean {
    return this.#endpoints.get(connectionId, endpointId) === true;
  }

  async add(connectionId: string, endpointId: string): Promise<void> {
    await this.#endpoints.put(connectionId, endpointId, true);
  }

  /** Turns the notices of all endpoints of a connection on again. Returns the IDs of the endpoints. */
  async clear(connectionId: string): Promise<readonly string[]> {
    const endpoints = [...this.#endpoints.entries(connectionId).keys()];
    await this.#endpoints.remove(connectionId, endpoints);
    return endpoints;
  }
}
