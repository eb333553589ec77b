import { accountOf } from '../../account/connections/storedConnections.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { number, object, text, type Schema, oneOf } from '../../kit/smallSchema.ts';
import type { LastWarning } from './model/budget.ts';

interface Account {
  readonly id: string;
  readonly teamId?: string | undefined;
}

const Warning: Schema<LastWarning> = object({ monthName: text, budget: number, threshold: number });

/**
 * Stores the last budget warning of each account, so that each threshold is reported once a month. A connection can act for several teams,
 * so it can have several accounts.
 */
export class BudgetStore {
  readonly #warnings: KeyedState<LastWarning>;

  constructor(storage: StateStorage) {
    this.#warnings = new KeyedState(storage, { name: 'costs.budget', schema: Warning, max: 100 });
  }

  get(account: Account): LastWarning | undefined {
    return this.#warnings.get(account.id, accountOf(account));
  }

  async put(account: Account, warning: LastWarning): Promise<void> {
    await this.#warnings.put(account.id, accountOf(account), warning);
  }
}

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
