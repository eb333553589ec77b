import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { explain } from '../../../vscode/errors.ts';
import { onDidHideDocument } from '../../../vscode/hiddenDocuments.ts';
import { UserError } from '../../../vscode/userError.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import { noFolder } from '../language/refusal.ts';
import type { Services } from '../../services.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import { hiddenValues } from '../secrets/sentVariables.ts';
import { comparedValues } from '../secrets/valueSource.ts';
import { DEPLOYED_SCHEME, deployedUri, parseDeployedUri, type DeployedAddress } from './deployedAddress.ts';
import type { Deployment } from './deployment.ts';

/** Delay between a change and the update of an open document, in ms. */
const DEBOUNCE_MS = 250;

interface Loaded {
  readonly text: string;
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

interface Sources {
  readonly services: Services;
  readonly models: ManifestModels;
  readonly deployment: Deployment;
}

/**
 * Provides read-only documents that show a deployed endpoint in the form of its manifest. They are the left side of *Compare with Deployed*.
 * Open documents follow the endpoint and the manifest.
 */
export class DeployedDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #sources: Sources;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #loaded = new Map<string, Loaded>();
  readonly #pending = new Map<string, AbortController>();
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    super();
    this.#sources = sources;
    const { deployment, models } = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      deployment.onDidChange(() => this.#follow()),
      models.onDidRead(({ document }) => this.#follow(document.uri.toString())),
      onDidHideDocument(DEPLOYED_SCHEME, (uri) => this.#forget(uri.toString())),
    );
  }

  /**
   * Reads a document of the current connection now, and returns its URI.
   *
   * @throws ApiError, NotConnectedError, and UserError
   */
  async prepare(address: Omit<DeployedAddress, 'file'>, { uri: file }: vscode.TextDocument): Promise<vscode.Uri> {
    const full = { ...address, file: file.toString() };
    const uri = vscode.Uri.from({ scheme: DEPLOYED_SCHEME, ...deployedUri(full, fileName(file)) });
    this.#take(uri, await this.#read(full));
    return uri;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#load(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text), permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.#load(uri)).text);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const pending of this.#pending.values()) pending.abort();
    this.#subscriptions.dispose();
  }

  #forget(key: string): void {
    this.#loaded.delete(key);
    this.#pending.get(key)?.abort();
    this.#pending.delete(key);
  }

  async #load(uri: vscode.Uri): Promise<Loaded> {
    const address = parseDeployedUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const known = this.#loaded.get(uri.toString());
    if (known) return known;
    const text = await this.#read(address).catch((error: unknown) => {
      throw vscode.FileSystemError.Unavailable(explain(error, l10n.t('Could not compare the manifest')).text);
    });
    return this.#take(uri, text);
  }

  /** @throws ApiError, NotConnectedError, and UserError */
  async #read({ connectionId, endpointId, file: name, part: index }: DeployedAddress): Promise<string> {
    const { services, models } = this.#sources;
    const { connections, endpoints } = services;
    const { client, profile } = await connectionOfDocument(connections, connectionId);
    if (!endpoints.find(endpointId)) await endpoints.refresh();
    const endpoint = endpoints.find(endpointId)?.endpoint;
    if (!endpoint) throw new UserError(l10n.t('the endpoint no longer exists'));
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
    const file = await models.read(document);
    const { manifest } = file.parts[index] ?? {};
    if (!manifest) throw new UserError(l10n.t('the manifest has errors'));
    const { compareWithDeployed, NoFolderError } = await import('../actions/compareWithDeployed.ts');
    const { deployedText } = await import('../actions/pullManifest.ts');
    const { readEnvValues } = await import('../actions/envValues.ts');
    const surroundings = { target: profile.kind, folder: folderOf(document.uri) };
    const { resolve } = await readEnvValues([manifest.env], comparedValues(services));
    const source = { manifest, resolve, ...surroundings };
    const comparison = await compareWithDeployed(client, source, endpoint).catch((error: unknown) => {
      throw error instanceof NoFolderError ? noFolder(document) : error;
    });
    return deployedText({ file, part: index, comparison, hidden: await hiddenValues(services), ...surroundings });
  }

  #take(uri: vscode.Uri, text: string): Loaded {
    const key = uri.toString();
    const before = this.#loaded.get(key);
    if (before?.text === text) return before;
    // The editor reloads a file only if its modification time has changed.
    const mtime = Math.max(this.#sources.services.clock.now(), (before?.mtime ?? 0) + 1);
    const loaded = { text, mtime };
    this.#loaded.set(key, loaded);
    if (before) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return loaded;
  }

  /**
   * Updates the open documents after a pause. A document keeps its text while its manifest has errors or its platform is not connected.
   *
   * @param file URI of the changed manifest. Default: all manifests.
   */
  #follow(file?: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const address = uri.scheme === DEPLOYED_SCHEME ? parseDeployedUri(uri) : undefined;
      if (!address || (file !== undefined && address.file !== file)) continue;
      const key = uri.toString();
      this.#pending.get(key)?.abort();
      const pending = new AbortController();
      this.#pending.set(key, pending);
      void this.#update(uri, address, pending.signal);
    }
  }

  async #update(uri: vscode.Uri, address: DeployedAddress, signal: AbortSignal): Promise<void> {
    try {
      await this.#sources.services.clock.sleep(DEBOUNCE_MS, signal);
      const text = await this.#read(address);
      if (!signal.aborted) this.#take(uri, text);
    } catch (error) {
      if (!signal.aborted) this.#sources.services.log.debug(`Could not update ${uri.path}`, error);
    }
  }
}
