import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { number } from '../../kit/smallSchema.ts';

/** The end of a silence that does not end. */
export const ALWAYS = Number.MAX_SAFE_INTEGER;

/** Stores until when no alert of an endpoint is shown in this workspace. */
export class SilencedAlerts {
  readonly #endpoints: KeyedState<number>;

  /** @param storage the state of the workspace */
  constructor(storage: StateStorage) {
    this.#endpoints = new KeyedState(storage, { name: 'alerts.silenced', schema: number, max: 500 });
  }

  /** @param now in ms since the epoch */
  has(connectionId: string, endpointId: string, now: number): boolean {
    return (this.#endpoints.get(connectionId, endpointId) ?? 0) > now;
  }

  /** @param until in ms since the epoch */
  async silence(connectionId: string, endpointId: string, until: number): Promise<void> {
    await this.#endpoints.put(connectionId, endpointId, until);
  }

  /** Ends all silences of a connection. Returns the IDs of their endpoints. */
  async clear(connectionId: string): Promise<readonly string[]> {
    const endpoints = [...this.#endpoints.entries(connectionId).keys()];
    await this.#endpoints.remove(connectionId, endpoints);
    return endpoints;
  }
}
