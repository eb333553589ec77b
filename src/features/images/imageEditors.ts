import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Lazy } from '../../kit/lazy.ts';
import { createPanel } from '../../kit/panels.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { ImageEditPanel, ImageEditorSource } from './imageEditPanel.ts';
import type { EditStorage } from './model/editHistory.ts';

export const IMAGE_EDIT_VIEW_TYPE = 'cloudCompute.imageEdit';

/** The open image editors. Each edits one image at a time. */
export class ImageEditors implements vscode.Disposable {
  readonly #services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections'>;
  readonly #storage: Lazy<EditStorage>;
  readonly #panels = new Set<ImageEditPanel>();

  constructor(
    services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections'>,
    storage: Lazy<EditStorage>,
  ) {
    this.#services = services;
    this.#storage = storage;
  }

  /** Opens an image editor. An editor without an image is reused, so that empty ones do not pile up. */
  async open(source?: ImageEditorSource): Promise<ImageEditPanel> {
    const empty = [...this.#panels].find(({ isEmpty }) => isEmpty);
    const editor = empty ?? (await this.adopt(createPanel(IMAGE_EDIT_VIEW_TYPE, l10n.t('Edit Image'))));
    await editor.show(source);
    return editor;
  }

  /**
   * Rejects with a cancellation if the panel is closed before its code is loaded.
   *
   * @param stored state of a panel that the editor restored after a reload
   */
  async adopt(panel: vscode.WebviewPanel, stored?: unknown): Promise<ImageEditPanel> {
    const state = { isClosed: false };
    panel.onDidDispose(() => (state.isClosed = true));
    const [{ ImageEditPanel }, storage] = await Promise.all([import('./imageEditPanel.ts'), this.#storage.get()]);
    if (state.isClosed) throw new vscode.CancellationError();
    const editor = new ImageEditPanel(this.#services, storage, panel, stored);
    this.#panels.add(editor);
    panel.onDidDispose(() => this.#panels.delete(editor));
    return editor;
  }

  dispose(): void {
    for (const each of this.#panels) each.dispose();
  }
}
