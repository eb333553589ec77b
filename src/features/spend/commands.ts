import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { CommandTable } from '../../kit/commands.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { Jobs } from '../jobs/index.ts';
import type { SilencedStore } from './noticeStores.ts';

export interface SpendCommandOptions {
  readonly services: AccountServices;
  readonly jobs: Lazy<Jobs>;
  /** Estimates. */
  readonly reports: Reports;
  /** Endpoints without notices about idle workers. */
  readonly silenced: SilencedStore;
  readonly openBilling: () => unknown;
}

/** Returns the commands for costs. */
export function spendCommands({ services, jobs, reports, silenced, openBilling }: SpendCommandOptions): CommandTable {
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
