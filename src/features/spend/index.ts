import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { Reports } from '../../kit/documents/reports.ts';
import { registerCommand } from '../../kit/commands.ts';
import { formatted } from '../../text/markdown.ts';
import { followVisibility } from '../../kit/visibility.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { JobRecords } from '../jobs/index.ts';
import { registerBilling } from './billing/index.ts';
import { registerBudgetWarning } from './budgetWarning.ts';
import { costSettings, onDidChangeCostSettings } from './costSettings.ts';
import { registerIdleNotice, resetIdleNotices } from './idleNotice.ts';
import { askForBudget } from './setBudget.ts';
import { SilencedStore } from './silencedStore.ts';
import { registerSpendStatusBar } from './spendStatusBar.ts';
import { SpendStore } from './spendStore.ts';

/** Registers *Billing*, the spend in the status bar, the budget, the notices about idle workers, and *Estimate Costs…*. */
export function registerSpend(services: AccountServices, jobs: Pick<JobRecords, 'history'>): vscode.Disposable {
  const { log, clock, globalState } = services;
  const silenced = new SilencedStore(globalState);
  const reports = new Reports({
    scheme: 'cloud-compute-estimate',
    gone: formatted`This estimate is no longer available. Run *Estimate Costs…* again.`,
    whyReadonly: formatted`This is an estimate.`,
    clock,
  });
  return vscode.Disposable.from(
    reports.register(),
    registerCommand(log, 'cloudCompute.costs.estimate', l10n.t('Could not estimate the costs'), async (...args) => {
      const { estimateCommand } = await import('./estimate/estimateCommand.ts');
      await estimateCommand({ ...services, ...jobs }, reports, args);
    }),
    registerBilling(services),
    registerCurrentSpend(services),
    registerCommand(log, 'cloudCompute.costs.setBudget', l10n.t('Could not set the budget'), askForBudget),
    registerIdleNotice(services, silenced),
    registerCommand(log, 'cloudCompute.costs.resetIdleNotices', l10n.t('Could not turn on the notices'), () =>
      resetIdleNotices(services, silenced),
    ),
  );
}

/** Reads the spend while the status bar shows it or a budget needs it. The local platform has no budget, because it is free. */
function registerCurrentSpend(services: AccountServices): vscode.Disposable {
  const { connections } = services;
  const store = new SpendStore(services);
  const changed = new vscode.EventEmitter<void>();
  const need = {
    get visible() {
      const { statusBar, monthlyBudget } = costSettings();
      return statusBar !== 'off' || (monthlyBudget > 0 && connections.profile?.kind === 'hosted');
    },
  };
  return vscode.Disposable.from(
    changed,
    store,
    followVisibility(store, need, changed.event),
    connections.onDidChange(() => changed.fire()),
    onDidChangeCostSettings(() => {
      changed.fire();
      store.refresh();
    }),
    registerSpendStatusBar(services, store),
    registerBudgetWarning(services, store),
  );
}
