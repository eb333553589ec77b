import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { AccountServices } from '../../../account/accountServices.ts';

/** Registers the commands for the engine that runs images, and for its images. Each one is loaded on first use. */
export function registerEngineCommands(services: AccountServices): vscode.Disposable {
  const { log } = services;
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.localPlatform.chooseEngine', l10n.t('Could not change the engine'), async () => {
      const { chooseEngine } = await import('./chooseEngine.ts');
      await chooseEngine(services);
    }),
    registerCommand(
      log,
      'cloudCompute.localPlatform.pullImage',
      l10n.t('Could not pull the image'),
      async (...args) => {
        const { pullImageCommand } = await import('./pullImageCommand.ts');
        await pullImageCommand(services, args);
      },
    ),
    registerCommand(
      log,
      'cloudCompute.localPlatform.removeUnusedImages',
      l10n.t('Could not remove the images'),
      async () => {
        const { removeUnusedImages } = await import('./removeUnusedImages.ts');
        await removeUnusedImages(services);
      },
    ),
  );
}
