import * as vscode from 'vscode';
import { readFile } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../../account/accountServices.ts';
import {
  type EditStorage,
  MAX_THUMBNAIL_BYTES,
  type EditHistory,
  type EditHistoryItem,
  type StoredEdit,
} from '../model/editHistory.ts';
import { EditFiles, type ListedEdit } from './actions/editFiles.ts';
import { createSaveEdit } from './saveEdit.ts';
import type { Clock } from '../../../client/clock.ts';
import { Emitter } from '../../../kit/emitter.ts';
import type { Log } from '../../../kit/log.ts';
import { UserError } from '../../../kit/userError.ts';
import type { EditedImage, EditSource, FinishedEdit } from '../model/imageEdit.ts';

/** Storage of edits, which all image editors share. */
export interface StoredEdits extends EditStorage {
  readonly history: EditHistoryStore;
  dispose(): void;
}

/** Creates the storage of the edits of this workspace. It is read now, and again when the window receives the focus. */
export function createEditStorage({
  context,
  clock,
  log,
}: Pick<AccountServices, 'context' | 'log' | 'clock'>): StoredEdits {
  const history = new EditHistoryStore(new EditFiles(historyFolder(context)), { clock, log });
  const save = createSaveEdit(log);
  const refresh = (): void => {
    history.refresh().catch((error: unknown) => log.warn('Could not read the edits of images', error));
  };
  refresh();
  const focus = vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) refresh();
  });
  return {
    history,
    save,
    dispose: () => {
      focus.dispose();
      history.dispose();
    },
  };
}

/** Opens an image file in the editor's preview. */
const PREVIEW = 'imagePreview.previewEditor';

/** The edits of this workspace, as files in the storage of the extension. Another window can change them too. */
export class EditHistoryStore implements EditHistory {
  readonly #files: EditFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #items: readonly EditHistoryItem[] = [];
  /** The list from which the items were made. */
  #read = '';
  #reading: Promise<void> = Promise.resolve();

  constructor(files: EditFiles, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
  }

  get items(): readonly EditHistoryItem[] {
    return this.#items;
  }

  /** Reads the files again. Resolves once `items` is current. */
  refresh(): Promise<void> {
    // Reads in turn, so that an older list never replaces a newer one. A failed read does not affect the next one.
    const earlier = this.#reading.catch(() => undefined);
    this.#reading = earlier.then(async () => {
      const listed = await this.#files.list();
      const read = JSON.stringify(listed);
      if (read === this.#read) return;
      this.#read = read;
      // Pages receive a thumbnail again if its bytes are other ones.
      const thumbnails = new Map(this.#items.map(({ id, thumbnail }) => [id, thumbnail]));
      this.#items = await Promise.all(listed.map((edit) => itemOf(edit, thumbnails.get(edit.record.id))));
      this.#changed.fire();
    });
    return this.#reading;
  }

  async keep(edit: FinishedEdit, image: EditedImage, source: EditSource): Promise<void> {
    try {
      await this.#files.keep({ edit, image, source, time: this.#clock.now() });
    } catch (error) {
      this.#log.warn('Could not keep the edit in the history', error);
    }
    await this.refresh();
  }

  load(id: string): Promise<StoredEdit | undefined> {
    return this.#files.load(id);
  }

  async addThumbnail(id: string, bytes: Uint8Array): Promise<void> {
    await this.#files.addThumbnail(id, bytes);
    await this.refresh();
  }

  async open(id: string): Promise<void> {
    await this.refresh();
    const item = this.#items.find((one) => one.id === id);
    if (!item) throw new UserError(l10n.t('the edit is no longer in the history'));
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(item.resultPath), PREVIEW);
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(id);
    await this.refresh();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** @param known thumbnail that was read earlier */
async function itemOf(
  { record, resultPath, imageSize, thumbnailPath }: ListedEdit,
  known: Uint8Array | undefined,
): Promise<EditHistoryItem> {
  const { id, time, source, parameters } = record;
  const small = imageSize <= MAX_THUMBNAIL_BYTES ? resultPath : thumbnailPath;
  return {
    ...{ id, time, resultPath, prompt: parameters.prompt },
    sourceName: source.kind === 'file' ? source.name : source.url,
    thumbnail: known ?? (small === undefined ? undefined : await readFile(small).catch(() => undefined)),
  };
}

/** Returns the folder of the history. A window without a workspace has no storage of its own. */
function historyFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'image-edits').fsPath;
}
