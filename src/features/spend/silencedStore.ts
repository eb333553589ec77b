import * as z from 'zod';
import { stateKey, type StateStorage } from '../../account/connections/connectionState.ts';

/** Maximum number of endpoints per connection. It limits the stored IDs of deleted endpoints. */
const MAX_ENDPOINTS = 500;

const keyOf = (connectionId: string) => stateKey(connectionId, 'costs.silencedIdle');

/** Stores the endpoints for which the user turned off idle notices. */
export class SilencedStore {
  readonly #storage: StateStorage;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  has(connectionId: string, endpointId: string): boolean {
    return this.#read(connectionId).includes(endpointId);
  }

  async add(connectionId: string, endpointId: string): Promise<void> {
    const others = this.#read(connectionId).filter((id) => id !== endpointId);
    await this.#storage.update(keyOf(connectionId), [...others, endpointId].slice(-MAX_ENDPOINTS));
  }

  /** Turns the notices of all endpoints of a connection on again. Returns the number of endpoints. */
  async clear(connectionId: string): Promise<number> {
    const { length } = this.#read(connectionId);
    await this.#storage.update(keyOf(connectionId), undefined);
    return length;
  }

  #read(connectionId: string): readonly string[] {
    return z.array(z.string()).safeParse(this.#storage.get(keyOf(connectionId))).data ?? [];
  }
}
