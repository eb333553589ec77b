import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Subscription } from '../../../vscode/emitter.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import { NotConnectedError, requireConnection } from '../../connections/requireConnection.ts';
import type { Services } from '../../services.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { explanationOf, type Explanation } from '../diagnosis/explanation.ts';
import { hiddenValues } from '../../manifest/secrets/sentVariables.ts';
import { observe } from '../diagnosis/observe.ts';
import {
  documentPath,
  ENDPOINT_SCHEME,
  parseDocumentPath,
  type DocumentAddress,
  type DocumentKind,
  type NewDocumentAddress,
} from './endpointAddress.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { codeLens } from '../../../vscode/marks.ts';
import { shown } from '../../../vscode/text/shownText.ts';

interface Content {
  readonly text: string;
  /** The endpoint at the start of an edit, and the client of its platform. */
  readonly base?: { readonly endpoint: Endpoint; readonly client: Client };
  readonly steps?: Explanation['steps'];
}

interface Loaded extends Content {
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

/** Saves an edit and resolves with the updated endpoint. Rejects with the reason if the edit was not saved. */
export type SaveEdit = (uri: vscode.Uri, text: string, base: NonNullable<Content['base']>) => Promise<Endpoint>;

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
  readonly #subscription: Subscription;

  constructor(services: Services, save: SaveEdit) {
    super();
    this.#services = services;
    this.#save = save;
    this.#subscription = services.endpoints.onDidChange(({ ids }) => this.#follow(ids));
  }

  static uriOf(address: NewDocumentAddress, name: string): vscode.Uri {
    return vscode.Uri.from({ scheme: ENDPOINT_SCHEME, path: documentPath(address, name) });
  }

  /** Returns the address of the manifest before the edit, which is the left side of the diff editor. */
  static originalOf(edit: vscode.Uri): vscode.Uri {
    return edit.with({ path: edit.path.replace(/^\/edit\//, '/original/').replace(/\.endpoint\.yaml$/, '.yaml') });
  }

  /** Opens a document of the current connection with its current content. Keeps unsaved changes. */
  async open(kind: DocumentKind, endpointId: string, name: string): Promise<vscode.TextDocument> {
    const connectionId = requireConnection(this.#services.connections).profile.id;
    const address = { kind, connectionId, endpointId };
    const uri = EndpointDocuments.uriOf(address, name);
    const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (!open?.isDirty) this.#take(uri, await this.#read(address));
    return vscode.workspace.openTextDocument(uri);
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
    this.#take(uri, { text, base: { endpoint, client: base.client } });
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    if (parseDocumentPath(uri.path)?.kind === 'edit') return [UPDATE_LENS];
    const steps = this.#loaded.get(uri.path)?.steps ?? [];
    return steps.map(({ line, step: { title, why, command, node } }) =>
      codeLens(line, { title, tooltip: why, command, arguments: [node] }),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
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
    const client = await this.#client(connectionId);
    if (kind === 'explain') return this.#explain(endpointId);
    try {
      const endpoint = await client.getEndpoint({ id: endpointId });
      const { editableYaml, endpointYaml } = await import('./endpointText.ts');
      const hidden = await hiddenValues(this.#services);
      if (kind === 'yaml') return { text: endpointYaml(endpoint, hidden) };
      return { text: editableYaml(endpoint, this.#platform, hidden), base: { endpoint, client } };
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

  /** Returns the client for the platform of a document. @throws vscode.FileSystemError if the platform is not connected */
  async #client(connectionId: string | undefined): Promise<Client> {
    const { connections, endpoints } = this.#services;
    try {
      const { client } = await connectionOfDocument(connections, connectionId);
      if (endpoints.state.kind !== 'ready') await endpoints.refresh();
      return client;
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
      this.#take(uri, { text: endpointYaml(endpoint, hidden) });
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
      if (address?.kind !== 'yaml' || (address.connectionId ?? current) !== current) continue;
      const snapshot = this.#services.endpoints.find(address.endpointId);
      if (!snapshot || !ids.has(address.endpointId)) continue;
      void this.#retake(document.uri, snapshot.endpoint);
    }
  }
}
