import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import { explain } from '../../../vscode/errors.ts';
import { connectionOfDocument } from '../../connections/documentConnection.ts';
import { NotConnectedError } from '../../connections/requireConnection.ts';
import type { Services } from '../../services.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import type { Resolve } from '../model/compare.ts';
import { DEPLOYED_SCHEME, deployedUri, parseDeployedUri, type DeployedAddress } from './deployedAddress.ts';
import type { Deployment } from './deployment.ts';

interface Loaded {
  readonly text: string;
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

interface Sources {
  readonly services: Services;
  readonly models: ManifestModels;
  readonly deployment: Deployment;
  readonly resolve: Resolve | undefined;
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
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    super();
    this.#sources = sources;
    const { deployment, models } = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      deployment.onDidChange(() => this.#follow()),
      models.onDidRead(({ document }) => this.#follow(document.uri.toString())),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === DEPLOYED_SCHEME) this.#loaded.delete(uri.toString());
      }),
    );
  }

  static uriOf(address: Omit<DeployedAddress, 'file'>, file: vscode.Uri): vscode.Uri {
    const parts = deployedUri({ ...address, file: file.toString() }, fileName(file));
    return vscode.Uri.from({ scheme: DEPLOYED_SCHEME, ...parts });
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
    this.#subscriptions.dispose();
  }

  async #load(uri: vscode.Uri): Promise<Loaded> {
    const address = parseDeployedUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#loaded.get(uri.toString()) ?? this.#take(uri, await this.#read(address));
  }

  /** @throws vscode.FileSystemError with a message for the editor */
  async #read({ connectionId, endpointId, file: name, part: index }: DeployedAddress): Promise<string> {
    const { services, models, resolve } = this.#sources;
    const { connections, endpoints } = services;
    try {
      const { client, profile } = await connectionOfDocument(connections, connectionId);
      if (!endpoints.find(endpointId)) await endpoints.refresh();
      const endpoint = endpoints.find(endpointId)?.endpoint;
      if (!endpoint) throw vscode.FileSystemError.FileNotFound('The endpoint no longer exists.');
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
      const file = await models.read(document);
      const { manifest } = file.parts[index] ?? {};
      if (!manifest) throw vscode.FileSystemError.Unavailable('The manifest has errors.');
      const { compareWithDeployed } = await import('../actions/compareWithDeployed.ts');
      const { deployedText } = await import('../actions/pullManifest.ts');
      const surroundings = { target: profile.kind, folder: folderOf(document.uri) };
      const comparison = await compareWithDeployed(client, { manifest, resolve, ...surroundings }, endpoint);
      return deployedText({ file, part: index, comparison, resolve, ...surroundings });
    } catch (error) {
      if (error instanceof NotConnectedError) throw vscode.FileSystemError.Unavailable(error.sentence.text);
      if (error instanceof ApiError)
        throw vscode.FileSystemError.Unavailable(explain(error, 'Could not read the endpoint').text);
      throw error;
    }
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
   * Updates the open documents. A document keeps its text while its manifest has errors or its platform is not connected.
   *
   * @param file URI of the changed manifest. Default: all manifests.
   */
  #follow(file?: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const address = uri.scheme === DEPLOYED_SCHEME ? parseDeployedUri(uri) : undefined;
      if (!address || (file !== undefined && address.file !== file)) continue;
      this.#read(address).then(
        (text) => this.#take(uri, text),
        () => undefined,
      );
    }
  }
}
