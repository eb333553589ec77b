import { accountOf } from '../../account/connections/storedConnections.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { number, object, text, type Schema } from '../../kit/smallSchema.ts';
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
