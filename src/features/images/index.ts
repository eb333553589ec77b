import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { imageCommands } from './commands.ts';
import { createEditStorage } from './history/editStorage.ts';
import { IMAGE_EDIT_VIEW_TYPE, ImageEditors } from './imageEditors.ts';

/** Registers the image editor, and its commands. The editor restores its panels after a reload. */
export function registerImages(services: AccountServices): vscode.Disposable {
  const storage = createEditStorage(services);
  const editors = new ImageEditors(services, storage);
  return vscode.Disposable.from(
    editors,
    storage,
    registerCommands(services.log, imageCommands(services, editors)),
    vscode.window.registerWebviewPanelSerializer(IMAGE_EDIT_VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored: unknown) => {
        await editors.adopt(panel, stored);
      },
    }),
  );
}
