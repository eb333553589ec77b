import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { Lazy } from '../../kit/lazy.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { IMAGE_EDIT_VIEW_TYPE, ImageEditors } from './imageEditors.ts';
import * as l10n from '@vscode/l10n';

/** Registers the image editor, and its commands. The editor restores its panels after a reload. */
export function registerImages(
  services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections'>,
): vscode.Disposable {
  const storage = new Lazy(async () => (await import('./history/editStorage.ts')).createEditStorage(services));
  const editors = new ImageEditors(services, storage);
  return vscode.Disposable.from(
    editors,
    new vscode.Disposable(() => storage.value?.dispose()),
    registerCommands(services.log, imageCommands(services, editors)),
    vscode.window.registerWebviewPanelSerializer(IMAGE_EDIT_VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored: unknown) => {
        await editors.adopt(panel, stored);
      },
    }),
  );
}

/** Returns the commands for image edits. */
function imageCommands(services: Pick<AccountServices, 'connections'>, editors: ImageEditors): CommandTable {
  return {
    'cloudCompute.images.edit': {
      failure: l10n.t('Could not edit the image'),
      run: async (argument) => (await import('./commands/editImageCommand.ts')).editImageCommand(editors, argument),
    },
    'cloudCompute.images.copyUrl': {
      failure: l10n.t('Could not copy the URL'),
      run: async () => (await import('./commands/copyRequest.ts')).copyModelUrl(services),
    },
    'cloudCompute.images.copyCurl': {
      failure: l10n.t('Could not copy the command'),
      run: async () => (await import('./commands/copyRequest.ts')).copyModelCurl(services),
    },
  };
}
