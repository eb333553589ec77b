import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { Reports } from '../../kit/documents/reports.ts';
import { Lazy } from '../../kit/lazy.ts';
import { formatted } from '../../text/markdown.ts';
import type { Jobs } from '../jobs/index.ts';
import type { RequestFileReader } from '../requests/index.ts';

/** Registers *Load Test…* for job files and request files, and its reports. */
export function registerLoad(
  services: Pick<AccountServices, 'globalState' | 'log' | 'clock'>,
  jobs: Lazy<Jobs>,
  readRequests: RequestFileReader,
): vscode.Disposable {
  const { clock, globalState, log } = services;
  const store = new Lazy(async () => new (await import('./loadStore.ts')).LoadStore(globalState));
  const reports = new Reports({
    scheme: 'cloud-compute-load',
    gone: formatted`This report is no longer available. Run *Load Test…* to open a saved one.`,
    whyReadonly: formatted`This is the report of a load test.`,
    clock,
  });
  return vscode.Disposable.from(
    reports.register(),
    registerCommands(log, {
      'cloudCompute.load.run': {
        failure: l10n.t('Could not run the load test'),
        run: async (...args) => {
          const { loadTestCommand } = await import('./loadTestCommand.ts');
          const context = { services: (await jobs.get()).services, store: await store.get(), reports, readRequests };
          await loadTestCommand(context, args);
        },
      },
    }),
  );
}
