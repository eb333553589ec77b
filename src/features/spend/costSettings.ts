import * as vscode from 'vscode';
import { monthlyBudget } from '../../account/prices/monthlyBudget.ts';

/** Spend that the status bar shows. */
export type StatusBarSpend = 'off' | 'today' | 'month' | 'both';

export interface CostSettings {
  readonly statusBar: StatusBarSpend;
  /** In USD. 0: no budget. */
  readonly monthlyBudget: number;
  /** Time in minutes from which a worker has been idle for long. 0: no notices. */
  readonly idleNoticeMinutes: number;
}

const SECTION = 'cloudCompute.costs';
const BUDGET = 'monthlyBudget';

const isStatusBarSpend = (value: unknown): value is StatusBarSpend =>
  value === 'today' || value === 'month' || value === 'both';

/** Returns the settings. An invalid value turns its feature off. */
export function costSettings(): CostSettings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const statusBar: unknown = settings.get('statusBar');
  return {
    statusBar: isStatusBarSpend(statusBar) ? statusBar : 'off',
    monthlyBudget: monthlyBudget() ?? 0,
    idleNoticeMinutes: amountOf(settings.get('idleNoticeMinutes')),
  };
}

export async function setMonthlyBudget(usd: number): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  await settings.update(BUDGET, usd === 0 ? undefined : usd, vscode.ConfigurationTarget.Global);
}

/** Calls the listener after each change of the settings. */
export function onDidChangeCostSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration(SECTION)) listener();
  });
}

function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
