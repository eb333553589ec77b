import * as vscode from 'vscode';
import { createPanel } from '../../vscode/panels.ts';
import type { Services } from '../services.ts';
import { IMAGE_EDIT_VIEW_TYPE, ImageEditPanel, type ImageEditorContent } from './imageEditPanel.ts';
import type { EditStorage } from './model/editHistory.ts';
import { DIALOG_STORAGE } from './saveWithDialog.ts';

/** The open image editors. */
const panels = new Set<ImageEditPanel>();

/** Registers the image editor. The editor restores its panels after a reload. */
export function registerImages(services: Services): vscode.Disposable {
  const storage = DIALOG_STORAGE;
  return vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(IMAGE_EDIT_VIEW_TYPE, {
      deserializeWebviewPanel: (panel, stored: unknown) => {
        adopt(services, storage, panel, stored);
        return Promise.resolve();
      },
    }),
    new vscode.Disposable(() => {
      for (const each of panels) each.dispose();
    }),
  );
}

/**
 * Opens an image editor. An editor without a source is reused, so that an empty one does not stay open.
 *
 * @param storage where edits are kept and saved
 */
export async function openImageEditor(
  services: Services,
  content: ImageEditorContent = {},
  storage: EditStorage = DIALOG_STORAGE,
): Promise<ImageEditPanel> {
  const empty = [...panels].find(({ store: { state } }) => !state.source && !state.run && !state.result);
  const editor = empty ?? adopt(services, storage, createPanel(IMAGE_EDIT_VIEW_TYPE, 'Edit Image'));
  await editor.show(content);
  return editor;
}

function adopt(services: Services, storage: EditStorage, panel: vscode.WebviewPanel, stored?: unknown): ImageEditPanel {
  const editor = new ImageEditPanel(services, storage, panel, stored);
  panels.add(editor);
  panel.onDidDispose(() => panels.delete(editor));
  return editor;
}
