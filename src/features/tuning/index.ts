import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import type { OwnJobs } from './model/measuredLoad.ts';

const VIEW_TYPE = 'cloudCompute.tuning';

/** Registers *Tune Scaling…*, and its pages, which the editor restores after a reload. */
export function registerTuning(services: AccountServices, ownJobs: OwnJobs): vscode.Disposable {
  return vscode.Disposable.from(
    registerCommands(services.log, {
      'cloudCompute.endpoints.tune': {
        failure: l10n.t('Could not tune the scaling'),
        run: async (...args) =>
          (await import('./tuningCommand.ts')).tuningCommand(services, { viewType: VIEW_TYPE, ownJobs }, args),
      },
    }),
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored: unknown) => {
        const closed = new AbortController();
        panel.onDidDispose(() => closed.abort());
        const { restoreTuning } = await import('./tuningCommand.ts');
        if (!closed.signal.aborted) restoreTuning(services, ownJobs, panel, stored);
      },
    }),
  );
}
