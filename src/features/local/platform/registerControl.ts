import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Registers the commands that set up the local platform for tests: seed, clock, and faults. */
export function registerControlCommands(services: AccountServices): vscode.Disposable {
  const { log } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.localPlatform.seed', l10n.t('Could not add the test data'), async (uri) => {
      const { seedFromFile } = await import('./controlCommands.ts');
      return seedFromFile(services, uri instanceof vscode.Uri ? uri : undefined);
    }),
    registerCommand(log, 'cloudCompute.localPlatform.setClock', l10n.t('Could not change the clock'), async () => {
      const { setClock } = await import('./controlCommands.ts');
      return setClock(services);
    }),
    registerCommand(log, 'cloudCompute.localPlatform.setFaults', l10n.t('Could not change the faults'), async () => {
      const { setFaults } = await import('./controlCommands.ts');
      return setFaults(services);
    }),
  );
}
