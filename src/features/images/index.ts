import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { Lazy } from '../../kit/lazy.ts';
import { registerCommands } from '../../kit/commands.ts';
import { imageCommands } from './commands.ts';
import { IMAGE_EDIT_VIEW_TYPE, ImageEditors } from './imageEditors.ts';

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
