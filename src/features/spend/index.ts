import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import { Reports } from '../../kit/documents/reports.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { formatted } from '../../text/markdown.ts';
import { followVisibility } from '../../kit/visibility.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import { registerBilling } from './billing/index.ts';
import { registerBudgetWarning } from './budgetWarning.ts';
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

interface SpendCommandOptions {
  readonly services: AccountServices;
  readonly jobs: Lazy<Jobs>;
  /** Estimates. */
  readonly reports: Reports;
  /** Endpoints without notices about idle workers. */
  readonly silenced: SilencedStore;
  readonly openBilling: () => unknown;
}

/** Returns the commands for costs. */
function spendCommands({ services, jobs, reports, silenced, openBilling }: SpendCommandOptions): CommandTable {
  return {
    'cloudCompute.billing.open': { failure: l10n.t('Could not open Billing'), run: () => openBilling() },
    'cloudCompute.costs.estimate': {
      failure: l10n.t('Could not estimate the costs'),
      run: async (...args) =>
        (await import('./estimate/estimateCommand.ts')).estimateCommand((await jobs.get()).services, reports, args),
    },
    'cloudCompute.costs.setBudget': {
      failure: l10n.t('Could not set the budget'),
      run: async () => (await import('./setBudget.ts')).askForBudget(),
    },
    'cloudCompute.costs.resetIdleNotices': {
      failure: l10n.t('Could not turn on the notices'),
      run: async () => {
        const [{ resetIdleNotices }, { SilencedAlerts }] = await Promise.all([
          import('./resetIdleNotices.ts'),
          import('../../account/endpoints/silencedAlerts.ts'),
        ]);
        await resetIdleNotices(services, silenced, new SilencedAlerts(services.context.workspaceState));
      },
    },
  };
}
