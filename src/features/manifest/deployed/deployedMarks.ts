import * as vscode from 'vscode';
import type { FileMark, FileMarks } from '../../../kit/fileDecorations.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { isManifestFile, languageOf, MANIFEST_GLOB, openManifests, workspaceTree } from '../manifestFiles.ts';
import type { CheckOptions, ManifestFile } from '../model/manifestFile.ts';
import { statusOfFile, fileDetail, statusWords } from '../model/deployment/partStatus.ts';
import type { Deployment } from './deployment.ts';

/** Maximum number of closed files whose content is remembered. */
const MAX_CLOSED = 200;

interface Sources {
  readonly connections: AccountServices['connections'];
  readonly models: ManifestModels;
  readonly deployment: Deployment;
  readonly options: () => CheckOptions;
}

interface Closed {
  readonly options: CheckOptions;
  /** Undefined if the file cannot be read or is too large. */
  readonly file: ManifestFile | undefined;
}

/**
 * Marks the manifests of the workspace with their states. Closed files are read when the editor shows them, once the endpoints of the
 * connection are known.
 */
export class DeployedMarks implements FileMarks, vscode.Disposable {
  readonly #sources: Sources;
  readonly #changed = new vscode.EventEmitter<vscode.Uri | undefined>();
  readonly onDidChange = this.#changed.event;
  /** Closed files by URI, the least recently used first. */
  readonly #closed = new Map<string, Promise<Closed>>();
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources) {
    this.#sources = sources;
    const { models, deployment } = sources;
    const watcher = vscode.workspace.createFileSystemWatcher(MANIFEST_GLOB);
    const forget = (uri: vscode.Uri) => {
      this.#closed.delete(uri.toString());
      this.#changed.fire(uri);
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      watcher,
      watcher.onDidChange(forget),
      watcher.onDidCreate(forget),
      watcher.onDidDelete(forget),
      deployment.onDidChange(() => this.#changed.fire(undefined)),
      models.onDidRead(({ document }) => this.#changed.fire(document.uri)),
      models.onDidClose(({ uri }) => forget(uri)),
    );
  }

  markOf(uri: vscode.Uri): Promise<FileMark | undefined> | undefined {
    return isManifestFile(uri) && this.#sources.deployment.isKnown ? this.#markOf(uri) : undefined;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #markOf(uri: vscode.Uri): Promise<FileMark | undefined> {
    const { models, deployment, connections } = this.#sources;
    const open = openManifests().find((document) => document.uri.toString() === uri.toString());
    const file = open ? await models.read(open) : await this.#readClosed(uri);
    if (!file) return undefined;
    const statuses = (await deployment.observe(uri, file)).map(({ status }) => status);
    const status = statusOfFile(statuses);
    const platform = connections.profile?.name;
    const { badge, color } = statusWords(status, platform);
    return badge === undefined ? undefined : { badge, color, tooltip: fileDetail(statuses, platform, status) };
  }

  async #readClosed(uri: vscode.Uri): Promise<ManifestFile | undefined> {
    if (!vscode.workspace.getWorkspaceFolder(uri)) return undefined;
    const key = uri.toString();
    const options = this.#sources.options();
    const known = this.#closed.get(key);
    this.#closed.delete(key);
    const reading = known?.then((closed) => (closed.options === options ? closed : readFile(uri, options)));
    const closed = reading ?? readFile(uri, options);
    this.#closed.set(key, closed);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > MAX_CLOSED && oldest !== undefined) this.#closed.delete(oldest);
    return (await closed).file;
  }
}

async function readFile(uri: vscode.Uri, options: CheckOptions): Promise<Closed> {
  const { readManifest } = await import('../actions/readManifests.ts');
  const content = await readManifest(workspaceTree, uri);
  if (!('text' in content)) return { options, file: undefined };
  const { readManifestFile } = await import('../model/manifestFile.ts');
  return { options, file: readManifestFile(content.text, { language: languageOf(uri), ...options }) };
}
