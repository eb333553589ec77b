import * as vscode from 'vscode';

/** Returns the budget of a month from the settings, in USD. Undefined: no budget. */
export function monthlyBudget(): number | undefined {
  const value: unknown = vscode.workspace.getConfiguration('cloudCompute.costs').get('monthlyBudget');
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
