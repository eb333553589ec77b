import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { IMAGE_EDIT_PRICE_USD } from '../../contract/imageModel.ts';
import { showError } from '../../kit/errors.ts';
import { showPage, type PageHost } from '../../kit/panels.ts';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { safe } from '../../text/shownText.ts';
import { UserError } from '../../kit/userError.ts';
import {
  KeptImages,
  type ImageEditForm,
  type ImageEditPageState,
  type ImageEditToHost,
  type ImageEditToWebview,
} from '../../webviews/imageEdit/messages.ts';
import { mayRunOn } from '../../account/consent/confirmHosted.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import { readImageFile, tooLarge } from './actions/readSource.ts';
import { IMAGE_EDIT_PAGE, IMAGE_EDIT_COMMANDS } from './imageEditFailures.ts';
import { ImageEditStore } from './imageEditStore.ts';
import { IMAGE_EDIT_SETUP, imageEditView } from './imageEditView.ts';
import type { EditStorage, StoredEdit } from './model/editHistory.ts';
import { formOf, parametersOf } from './model/form.ts';
import type { EditSource } from './model/imageEdit.ts';
import { PictureRegister } from './pictureRegister.ts';
import { chooseSourceFile, readSourceFile } from './sourceFile.ts';

/** Source of a new editor: a file, or an image at an address. */
export type ImageEditorSource = vscode.Uri | Exclude<EditSource, { kind: 'file' }>;

/** Host side of the image editor. It owns a store that has the same lifetime as the panel. */
export class ImageEditPanel implements vscode.Disposable {
  readonly #services: Pick<AccountServices, 'log' | 'clock' | 'connections'>;
  readonly #storage: EditStorage;
  readonly #panel: vscode.WebviewPanel;
  readonly #page: PageHost<ImageEditToWebview>;
  readonly #store: ImageEditStore;
  readonly #pictures = new PictureRegister();
  readonly #subscriptions: vscode.Disposable;
  /** Form that the page has not received. The page keeps the present one. */
  #unsentForm: ImageEditForm | undefined;
  /** Whether the page is loaded. The editor unloads a hidden page. */
  #isReady = false;

  /**
   * @param panel a new panel, or one that the editor restored after a reload
   * @param stored state that the page kept before the reload
   */
  constructor(
    services: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections'>,
    storage: EditStorage,
    panel: vscode.WebviewPanel,
    stored?: unknown,
  ) {
    this.#services = services;
    this.#storage = storage;
    this.#panel = panel;
    const { connections, clock, context, log } = services;
    this.#store = new ImageEditStore({
      connections,
      clock,
      storage,
      // Looks up the function at each call, because VS Code can replace it.
      fetch: (...request) => globalThis.fetch(...request),
      mayRun: (profile) => mayRunOn(context.workspaceState, profile as Profile, IMAGE_EDIT_REQUEST),
      report: (error) => showError(log, error, l10n.t('Could not save the edited image')),
    });
    const kept = KeptImages.safeParse(stored).data;
    this.#page = showPage(panel, IMAGE_EDIT_PAGE, {
      context,
      log,
      onMessage: (message) => void this.#onMessage(message),
    });

    this.#subscriptions = vscode.Disposable.from(
      { dispose: () => this.#store.dispose() },
      this.#store.onDidChange(() => this.#showState()),
      storage.history.onDidChange(() => this.#showState()),
      this.#page.subscription,
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#isReady = false;
      }),
      panel.onDidDispose(() => this.dispose()),
    );
    if (kept) void this.#restore(kept);
  }

  /** Whether the editor has neither a source nor a result. */
  get isEmpty(): boolean {
    const { source, run, result } = this.#store.state;
    return !source && !run && !result;
  }

  /** Reveals the editor, and replaces the source if there is another one. */
  async show(source: ImageEditorSource | undefined): Promise<void> {
    this.#panel.reveal();
    if (source === undefined) return;
    if (source instanceof vscode.Uri) await this.#readFile(() => source);
    else this.#store.setUrl(source.url);
  }

  /** Disposes the store and the listeners. Does not dispose the panel, which the editor restores after a reload. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Shows the result and the source from before a reload. A source without a file or an address is the one of the result. */
  async #restore({ source, result }: Pick<ImageEditPageState, 'source' | 'result'>): Promise<void> {
    const stored = result === undefined ? undefined : await this.#storage.history.load(result);
    // Another image can have been opened in the meantime.
    if (!this.isEmpty) return;
    if (stored) this.#store.show(stored);
    if (source?.kind === 'url') this.#store.setUrl(source.url);
    else if (source) await this.#readFile(() => vscode.Uri.parse(source.uri, true));
  }

  async #onMessage(message: ImageEditToHost): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      showError(this.#services.log, error, ATTEMPTS[message.type] ?? l10n.t('Could not edit the image'));
    }
  }

  async #handle(message: ImageEditToHost): Promise<void> {
    const { history } = this.#storage;
    const store = this.#store;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#pictures.forget();
        this.#page.send({ type: 'setup', setup: IMAGE_EDIT_SETUP });
        this.#sendForm();
        this.#showState();
        return;
      case 'chooseFile': {
        const uri = await chooseSourceFile();
        if (uri) await this.#readFile(() => uri);
        return;
      }
      case 'sourceUri':
        return this.#readFile(() => vscode.Uri.parse(message.uri, true));
      case 'sourceBytes':
        this.#setBytes(message.bytes, message.name);
        return;
      case 'sourceTooLarge':
        store.refuseSource(tooLarge(message.bytes));
        return;
      case 'sourceUrl':
        store.setUrl(message.url);
        return;
      case 'removeSource':
        store.removeSource();
        return;
      case 'loadSource':
        return store.loadSource();
      case 'run':
        return store.run(parametersOf(message.form));
      case 'cancel':
        store.cancel();
        return;
      case 'loadResult':
        return store.loadResult();
      case 'save':
        return store.save();
      case 'editAgain':
        store.editAgain();
        return;
      case 'openResult':
        return this.#openResult();
      case 'copy':
        return this.#copy(message.what);
      case 'openEdit':
        return this.#openStored(message.id);
      case 'removeEdit':
        return history.remove(message.id);
      case 'thumbnail':
        return history.addThumbnail(message.id, message.bytes);
      case 'act':
        await vscode.commands.executeCommand(IMAGE_EDIT_COMMANDS[message.action]);
        return;
    }
  }

  /** Makes a file the source, or shows why it cannot be. */
  async #readFile(uriOf: () => vscode.Uri): Promise<void> {
    try {
      const uri = uriOf();
      this.#store.setFile(await readSourceFile(uri), uri.toString());
    } catch (error) {
      this.#store.refuseSource(error);
    }
  }

  #setBytes(bytes: Uint8Array, name: string): void {
    try {
      this.#store.setFile(readImageFile(bytes, name), undefined);
    } catch (error) {
      this.#store.refuseSource(error);
    }
  }

  #showStored(stored: StoredEdit): void {
    this.#setForm(formOf(stored.edit.parameters));
    this.#store.show(stored);
  }

  async #openStored(id: string): Promise<void> {
    const stored = await this.#storage.history.load(id);
    if (!stored) throw new UserError(l10n.t('the edit is no longer in the history'));
    this.#showStored(stored);
  }

  /** Opens the file that the user saved, or the one in the history. */
  async #openResult(): Promise<void> {
    const { result } = this.#store.state;
    if (!result) return;
    const { edit, savedAs } = result;
    if (savedAs === undefined) return this.#storage.history.open(edit.id);
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(savedAs, true));
  }

  async #copy(what: 'url' | 'requestId'): Promise<void> {
    const edit = this.#store.state.result?.edit;
    if (!edit) return;
    await vscode.env.clipboard.writeText(what === 'url' ? edit.url : edit.id);
    showStatusBarMessage(what === 'url' ? l10n.t('Image URL copied') : l10n.t('Request ID copied'), 3_000);
  }

  #setForm(form: ImageEditForm): void {
    this.#unsentForm = form;
    if (this.#isReady) this.#sendForm();
  }

  #sendForm(): void {
    if (this.#unsentForm) this.#page.send({ type: 'form', form: this.#unsentForm });
    this.#unsentForm = undefined;
  }

  #showState(): void {
    const { state } = this.#store;
    this.#panel.title = titleOf(state.source?.name);
    if (!this.#isReady) return;
    const { connections, clock } = this.#services;
    const { items } = this.#storage.history;
    const view = imageEditView(state, connections, {
      history: items,
      idOf: (bytes) => this.#pictures.idOf(bytes),
      now: clock.now(),
    });
    const images = [state.source?.image, state.result?.source.image, state.result?.image];
    const thumbnails = view.history.map((_entry, index) => items[index]?.thumbnail);
    const shown = [...images, ...thumbnails.map((bytes) => bytes && ({ bytes, mediaType: 'image/png' } as const))];
    // The page shows a picture as soon as a view refers to it, so the bytes come first.
    for (const picture of this.#pictures.unsent(shown)) this.#page.send({ type: 'picture', ...picture });
    this.#page.send({ type: 'view', view });
  }
}

/** What the user consents to on a hosted platform. */
const IMAGE_EDIT_REQUEST = { endpointName: 'image-edit', count: 1, noun: 'edit', price: IMAGE_EDIT_PRICE_USD } as const;

const ATTEMPTS: Partial<Record<ImageEditToHost['type'], string>> = {
  save: l10n.t('Could not save the edited image'),
  openResult: l10n.t('Could not open the edited image'),
  openEdit: l10n.t('Could not open the edit'),
  removeEdit: l10n.t('Could not remove the edit'),
  thumbnail: l10n.t('Could not keep a thumbnail of the edit'),
};

function titleOf(name: string | undefined): string {
  // The query of an address can contain a secret.
  const path = name?.replace(/^(https?:[^?#]*)[?#].*$/s, '$1');
  const file = path?.split(/[\\/]/).findLast((part) => part !== '');
  return file === undefined ? l10n.t('Edit Image') : safe(l10n.t`Edit ${file}`);
}
