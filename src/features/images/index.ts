import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { EditFiles } from './history/actions/editFiles.ts';
import { EditHistoryStore, historyFolder } from './history/editHistoryStore.ts';
import { createSaveEdit, savesAlways } from './history/saveEdit.ts';
import { IMAGE_EDIT_VIEW_TYPE } from './imageEditPanel.ts';
import { ImageEditors } from './imageEditors.ts';

/** Registers the image editor. The editor restores its panels after a reload. */
export function registerImages(services: Services): vscode.Disposable {
  const { clock, context, log } = services;
  const history = new EditHistoryStore({ files: new EditFiles(historyFolder(context)), clock, log });
  const editors = new ImageEditors(services, { history, save: createSaveEdit({ clock, log }), savesAlways });
  return vscode.Disposable.from(
    editors,
    history,
    vscode.window.registerWebviewPanelSerializer(IMAGE_EDIT_VIEW_TYPE, {
      deserializeWebviewPanel: (panel, stored: unknown) => {
        editors.adopt(panel, stored);
        return Promise.resolve();
      },
    }),
  );
}
