import * as vscode from 'vscode';
import { Reports } from '../../kit/documents/reports.ts';
import { registerCommands } from '../../kit/commands.ts';
import { formatted } from '../../text/markdown.ts';
import { followVisibility } from '../../kit/visibility.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import { registerBilling } from './billing/index.ts';
import { registerBudgetWarning } from './budgetWarning.ts';
import { spendCommands } from './commands.ts';
import { costSettings, onDidChangeCostSettings } from './costSettings.ts';
import { registerIdleNotice } from './idleNotice.ts';
import { SilencedStore } from './noticeStores.ts';
import { registerSpendStatusBar } from './spendStatusBar.ts';
import { SpendStore } from './spendStore.ts';

/** Registers *Billing*, the spend in the status bar, the budget, the notices about idle workers, and *Estimate Costs…*. */
export function registerSpend(services: AccountServices, jobs: Lazy<Jobs>): vscode.Disposable {
  const { log, clock, globalState } = services;
  const silenced = new SilencedStore(globalState);
  const reports = new Reports({
    scheme: 'cloud-compute-estimate',
    gone: formatted`This estimate is no longer available. Run *Estimate Costs…* again.`,
    whyReadonly: formatted`This is an estimate.`,
    clock,
  });
  const billing = registerBilling(services);
  return vscode.Disposable.from(
    reports.register(),
    billing,
    registerCurrentSpend(services),
    registerIdleNotice(services, silenced),
    registerCommands(
      log,
      spendCommands({
        ...{ reports, silenced },
        services,
        jobs,
        openBilling: billing.open,
      }),
    ),
  );
}

/** Reads the spend while the status bar shows it or a budget needs it. The local platform has no budget, because it is free. */
function registerCurrentSpend(
  services: Pick<AccountServices, 'globalState' | 'log' | 'clock' | 'connections'>,
): vscode.Disposable {
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
