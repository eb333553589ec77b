import * as z from 'zod';
import { accountOf } from '../../account/connections/accountOf.ts';
import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import type { LastWarning } from './model/budget.ts';

interface Account {
  readonly id: string;
  readonly teamId?: string | undefined;
}

const Warning: z.ZodType<LastWarning> = z.object({ monthName: z.string(), budget: z.number(), threshold: z.number() });

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
