import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../kit/commandIds.ts';
import { showMessage } from '../../kit/messages.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import type { Log } from '../../kit/log.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import type { StateStorage } from '../../kit/keyedState.ts';
import { BudgetStore } from './noticeStores.ts';
import { costSettings, onDidChangeCostSettings } from './costSettings.ts';
import { dueWarning, percentSpent } from './model/budget.ts';
import { cents } from '../../account/prices/money.ts';
import type { SpendStore } from './spendStore.ts';

const SET_BUDGET: CommandId = 'cloudCompute.costs.setBudget';
const OPEN_BILLING: CommandId = 'cloudCompute.billing.open';

interface BudgetSources {
  readonly connections: { readonly profile: Pick<Profile, 'id' | 'kind' | 'name' | 'teamId'> | undefined };
  readonly globalState: StateStorage;
  readonly log: Pick<Log, 'warn'>;
}

/** Warns once when the spend of a month reaches 50, 80, and 100 % of the budget. No warning appears for the local platform, which is free. */
export function registerBudgetWarning(
  { connections, globalState, log }: BudgetSources,
  store: Pick<SpendStore, 'state' | 'onDidChange'>,
): vscode.Disposable {
  const warnings = new BudgetStore(globalState);
  const check = async () => {
    const { monthlyBudget: budget } = costSettings();
    const { profile } = connections;
    const { spend } = store.state;
    if (budget === 0 || !spend || profile?.kind !== 'hosted') return;
    const due = dueWarning(spend, budget, warnings.get(profile));
    if (!due) return;
    // Stored first, so that a warning that is open does not appear in another window too.
    await warnings.put(profile, due);
    await warn(budgetWords(profile.name, spend.month, budget));
  };
  const checkNow = () => {
    check().catch((error: unknown) => log.warn('Could not check the budget', error));
  };
  return vscode.Disposable.from(store.onDidChange(checkNow), onDidChangeCostSettings(checkNow));
}

/** Describes how much of a budget is spent, such as `“Acme” has spent $42.10 this month: 84 % of the budget of $50.00.` */
function budgetWords(name: string, month: number, budget: number): ShownText {
  return shown`“${name}” has spent ${cents(month)} this month: ${percentSpent(month, budget)} % of the budget of ${cents(budget)}.`;
}

async function warn(message: ShownText): Promise<void> {
  const [open, change] = [l10n.t('Open Billing'), l10n.t('Change Budget…')] as const;
  const chosen = await showMessage('warning', message, open, change);
  if (chosen === open) await vscode.commands.executeCommand(OPEN_BILLING);
  if (chosen === change) await vscode.commands.executeCommand(SET_BUDGET);
}
