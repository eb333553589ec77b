import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askForText } from '../../kit/quickInput.ts';
import { costSettings, setMonthlyBudget } from './costSettings.ts';
import { parseBudget } from './model/budget.ts';
import { cents } from '../../account/prices/money.ts';

/** Asks for the budget of a month, and stores it in the user settings. */
export async function askForBudget(): Promise<void> {
  const { monthlyBudget } = costSettings();
  const answer = await askForText({
    title: l10n.t('Monthly Budget'),
    prompt: l10n.t('Monthly budget in US dollars. Leave it empty for no budget.'),
    value: monthlyBudget === 0 ? '' : String(monthlyBudget),
    validate: (text) => {
      const budget = parseBudget(text);
      if (budget === undefined) return l10n.t('Enter an amount in US dollars, such as 50');
      const message =
        budget === 0 ? l10n.t('No budget: there are no warnings.') : l10n.t`Warnings at ${shares(budget)}`;
      return { message, severity: vscode.InputBoxValidationSeverity.Info };
    },
  });
  const budget = answer === undefined ? undefined : parseBudget(answer);
  if (budget !== undefined) await setMonthlyBudget(budget);
}

function shares(budget: number): string {
  const [half, most, all] = [0.5, 0.8, 1].map((share) => cents(budget * share));
  return l10n.t`${half ?? ''}, ${most ?? ''}, and ${all ?? ''}`;
}
