import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { registerImageBatches } from './batch/imageBatches.ts';
import { registerImageCommands } from './commands/index.ts';
import { createEditStorage } from './history/editStorage.ts';
import { IMAGE_EDIT_VIEW_TYPE } from './imageEditPanel.ts';
import { ImageEditors } from './imageEditors.ts';

/** Registers the image editor, its commands, and the batches of image edits. The editor restores its panels after a reload. */
export function registerImages(services: Services): vscode.Disposable {
  const stored = createEditStorage(services);
  const editors = new ImageEditors(services, stored);
  return vscode.Disposable.from(
    editors,
    stored,
    registerImageBatches(services),
    registerImageCommands(services, { editors, stored }),
    vscode.window.registerWebviewPanelSerializer(IMAGE_EDIT_VIEW_TYPE, {
      deserializeWebviewPanel: (panel, stored: unknown) => {
        editors.adopt(panel, stored);
        return Promise.resolve();
      },
    }),
  );
}
