import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { onDidHideDocument } from '../../../vscode/hiddenDocuments.ts';
import { accountOf } from '../../connections/accountOf.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import type { Profile } from '../../connections/connectionStore.ts';
import { NotConnectedError, requireConnection, type Callable } from '../../connections/requireConnection.ts';
import type { Services } from '../../services.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { NextStep } from '../diagnosis/diagnosis.ts';
import { explanationOf, type Explanation } from '../diagnosis/explanation.ts';
import { hiddenValues } from '../../manifest/secrets/sentVariables.ts';
import { observe } from '../diagnosis/observe.ts';
import {
  documentPath,
  ENDPOINT_SCHEME,
  parseDocumentPath,
  type DocumentAddress,
  type DocumentKind,
} from './endpointAddress.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { codeLens } from '../../../vscode/marks.ts';
import { shown } from '../../../vscode/text/shownText.ts';

/** The endpoint at the start of an edit. */
export interface EditBase {
  readonly endpoint: Endpoint;
  readonly connectionId: string;
  /** Account that the endpoint belongs to, as a value of `accountOf`. */
  readonly account: string;
}

interface Content {
  readonly text: string;
  /** The start of an edit. */
  readonly base?: EditBase;
  readonly steps?: Explanation['steps'];
}

interface Loaded extends Content {
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

/** Saves an edit and resolves with the updated endpoint. Rejects with the reason if the edit was not saved. */
export type SaveEdit = (uri: vscode.Uri, text: string, base: EditBase) => Promise<Endpoint>;

const UPDATE_LENS = codeLens(0, {
  title: shown`$(cloud-upload) Update Endpoint…`,
  tooltip: l10n.t(
    'Shows the differences, asks for confirmation, and updates the endpoint. Saving the file does the same.',
  ),
  command: 'workbench.action.files.save',
});

/** Provides the documents of endpoints: the endpoint as YAML, its editable manifest, and its diagnosis. */
export class EndpointDocuments
  extends DocumentFiles
  implements vscode.FileSystemProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #services: Services;
  readonly #save: SaveEdit;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #loaded = new Map<string, Loaded>();
  readonly #subscriptions: vscode.Disposable;

  constructor(services: Services, save: SaveEdit) {
    super();
    this.#services = services;
    this.#save = save;
    const subscription = services.endpoints.onDidChange(({ ids }) => this.#follow(ids));
    this.#subscriptions = vscode.Disposable.from(
      subscription,
      onDidHideDocument(ENDPOINT_SCHEME, ({ path }) => this.#loaded.delete(path)),
    );
  }

  static uriOf(address: DocumentAddress, name: string): vscode.Uri {
    return vscode.Uri.from({ scheme: ENDPOINT_SCHEME, path: documentPath(address, name) });
  }

  /** Returns the address of the manifest before the edit, which is the left side of the diff editor. */
  static originalOf(edit: vscode.Uri): vscode.Uri {
    return edit.with({ path: edit.path.replace(/^\/edit\//, '/original/').replace(/\.endpoint\.yaml$/, '.yaml') });
  }

  /**
   * Opens a document of the current connection with its current content. Keeps unsaved changes. If they belong to another account, such as
   * that of another team, they become changes of the endpoint of the current account.
   */
  async open(kind: DocumentKind, endpointId: string, name: string): Promise<vscode.TextDocument> {
    const { profile } = requireConnection(this.#services.connections);
    const address = { kind, connectionId: profile.id, endpointId };
    const uri = EndpointDocuments.uriOf(address, name);
    const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    const edited = open?.isDirty ? this.#loaded.get(uri.path) : undefined;
    if (edited?.base?.account !== accountOf(profile)) {
      const read = await this.#read(address);
      this.#take(uri, edited ? { ...read, text: edited.text } : read);
    }
    return vscode.workspace.openTextDocument(uri);
  }

  /** Returns the next steps of an explanation that is open. */
  stepsOf(uri: vscode.Uri): readonly NextStep[] {
    return (this.#loaded.get(uri.path)?.steps ?? []).map(({ step }) => step);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#load(uri);
    const size = Buffer.byteLength(text);
    const isEdit = parseDocumentPath(uri.path)?.kind === 'edit';
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime,
      size,
      ...(isEdit ? {} : { permissions: vscode.FilePermission.Readonly }),
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#load(uri)).text);
  }

  /** Saves an edit once the user has confirmed the differences. */
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { base } = await this.#load(uri);
    if (!base) throw vscode.FileSystemError.NoPermissions(uri);
    const text = new TextDecoder().decode(content);
    const endpoint = await this.#save(uri, text, base);
    // Keeps the text with its comments. The next edit is compared with the updated endpoint.
    this.#take(uri, { text, base: { ...base, endpoint } });
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    if (parseDocumentPath(uri.path)?.kind === 'edit') return [UPDATE_LENS];
    const steps = this.#loaded.get(uri.path)?.steps ?? [];
    return steps.map(({ line, step: { title, why, command, node } }) =>
      codeLens(line, { title, tooltip: why, command, arguments: [node] }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
    this.#lenses.dispose();
  }

  async #load(uri: vscode.Uri): Promise<Loaded> {
    const address = parseDocumentPath(uri.path);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    // Never served from the cache, because it depends on the edit in progress.
    if (address.kind === 'original') return this.#take(uri, await this.#original(uri));
    return this.#loaded.get(uri.path) ?? this.#take(uri, await this.#read(address));
  }

  async #read({ kind, connectionId, endpointId }: DocumentAddress): Promise<Content> {
    const { client, profile } = await this.#connection(connectionId);
    if (kind === 'explain') return this.#explain(endpointId);
    try {
      const endpoint = await client.getEndpoint({ id: endpointId });
      const { editableYaml, endpointYaml } = await import('./endpointText.ts');
      const hidden = await hiddenValues(this.#services);
      if (kind === 'yaml') return { text: endpointYaml(endpoint, hidden) };
      return {
        text: editableYaml(endpoint, this.#platform, hidden),
        base: { endpoint, connectionId, account: accountOf(profile) },
      };
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'notFound')
        throw vscode.FileSystemError.FileNotFound(l10n.t('This endpoint does not exist on the connected platform.'));
      throw vscode.FileSystemError.Unavailable((error as Error).message);
    }
  }

  async #original({ path }: vscode.Uri): Promise<Content> {
    const edit = path.replace(/^\/original\//, '/edit/').replace(/\.yaml$/, '.endpoint.yaml');
    const { base } = this.#loaded.get(edit) ?? {};
    if (!base) throw vscode.FileSystemError.FileNotFound(l10n.t('This endpoint is not being edited.'));
    const { editableYaml } = await import('./endpointText.ts');
    return { text: editableYaml(base.endpoint, this.#platform, await hiddenValues(this.#services)) };
  }

  get #platform(): string {
    return this.#services.connections.profile?.name ?? l10n.t('the platform');
  }

  async #explain(endpointId: string): Promise<Content> {
    const seen = await observe(this.#services, endpointId);
    if (!seen) throw vscode.FileSystemError.FileNotFound(l10n.t('The endpoint no longer exists.'));
    return explanationOf(seen.snapshot, diagnose(seen), new Date(seen.now));
  }

  /** Returns the connection of a document. @throws vscode.FileSystemError if the platform is not connected */
  async #connection(connectionId: string): Promise<Callable<Client, Profile>> {
    const { connections, endpoints } = this.#services;
    try {
      const connection = await connectionOfDocument(connections, connectionId);
      if (endpoints.state.kind !== 'ready') await endpoints.refresh();
      return connection;
    } catch (error) {
      throw error instanceof NotConnectedError ? vscode.FileSystemError.Unavailable(error.sentence.text) : error;
    }
  }

  #take(uri: vscode.Uri, content: Content): Loaded {
    const before = this.#loaded.get(uri.path);
    const isNew = before?.text !== content.text;
    // The editor reloads a file only if its modification time has changed.
    const mtime = before && !isNew ? before.mtime : Math.max(this.#services.clock.now(), (before?.mtime ?? 0) + 1);
    const loaded = { ...content, mtime };
    this.#loaded.set(uri.path, loaded);
    if (before && isNew) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    if (content.steps) this.#lenses.fire();
    return loaded;
  }

  async #retake(uri: vscode.Uri, endpoint: Endpoint): Promise<void> {
    try {
      const [{ endpointYaml }, hidden] = await Promise.all([import('./endpointText.ts'), hiddenValues(this.#services)]);
      // The document can have been hidden in the meantime.
      if (this.#loaded.has(uri.path)) this.#take(uri, { text: endpointYaml(endpoint, hidden) });
    } catch (error) {
      this.#services.log.error('Could not update an open endpoint document', error);
    }
  }

  /** Updates the open read-only documents of changed endpoints. */
  #follow(ids: ReadonlySet<string>): void {
    const current = this.#services.connections.profile?.id;
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme !== ENDPOINT_SCHEME) continue;
      const address = parseDocumentPath(document.uri.path);
      if (address?.kind !== 'yaml' || address.connectionId !== current) continue;
      const snapshot = this.#services.endpoints.find(address.endpointId);
      if (!snapshot || !ids.has(address.endpointId)) continue;
      void this.#retake(document.uri, snapshot.endpoint);
    }
  }
}
