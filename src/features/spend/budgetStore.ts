import * as z from 'zod';
import { accountOf } from '../../account/connections/accountOf.ts';
import { stateKey, type StateStorage } from '../../account/connections/connectionState.ts';
import type { LastWarning } from './model/budget.ts';

interface Account {
  readonly id: string;
  readonly teamId?: string | undefined;
}

const Warnings = z.record(z.string(), z.object({ monthName: z.string(), budget: z.number(), threshold: z.number() }));

/** Stores the last budget warning of each account, so that each threshold is reported once a month. All windows share the storage. */
export class BudgetStore {
  readonly #storage: StateStorage;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  get(account: Account): LastWarning | undefined {
    return this.#read(account)[accountOf(account)];
  }

  async put(account: Account, warning: LastWarning): Promise<void> {
    await this.#storage.update(keyOf(account), { ...this.#read(account), [accountOf(account)]: warning });
  }

  #read(account: Account): Readonly<Record<string, LastWarning>> {
    return Warnings.safeParse(this.#storage.get(keyOf(account))).data ?? {};
  }
}

/** A connection can act for several teams, so its value contains several accounts. */
const keyOf = ({ id }: Account) => stateKey(id, 'costs.budget');
