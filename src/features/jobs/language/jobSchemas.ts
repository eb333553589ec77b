import path from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../../../kit/log.ts';
import { isManifest, MANIFEST_GLOB, workspaceTree } from '../../manifest/index.ts';
import type { PlacedCandidate } from '../actions/readManifestCandidates.ts';
import { manifestOfJobFile } from '../model/manifestOfJobFile.ts';
import {
  readInputSchema,
  type InputSchema,
  limitedTo,
  relativeUrl,
  SchemaError,
  type SchemaFiles,
} from '../model/schema/schemaFiles.ts';

export type JobManifest = PlacedCandidate<vscode.Uri>;

/** The manifest of a job file, and the schema of its input or the reason why the schema is not usable. */
export interface JobSchema {
  readonly manifest: JobManifest | undefined;
  readonly input?: InputSchema | undefined;
  readonly problem?: SchemaError | undefined;
}

/** Finds the manifests of job files and reads their input schemas. Reads nothing before the first job file is open. */
export class JobSchemas implements vscode.Disposable {
  readonly #log: Log;
  /** Manifests by the address of their workspace folder. */
  readonly #manifests = new Map<string, Promise<readonly JobManifest[]>>();
  readonly #inputs = new Map<string, Promise<InputSchema>>();
  /** Addresses of the schema files that were read. */
  readonly #read = new Set<string>();
  readonly #watchers = new Map<string, vscode.Disposable>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fired when a manifest, a schema file, or the list of workspace folders changed. */
  readonly onDidChange = this.#changed.event;
  #known: readonly JobManifest[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** The manifests that were found last. */
  get known(): readonly JobManifest[] {
    return this.#known;
  }

  /** Schema files of the workspace. */
  readonly files: SchemaFiles = {
    read: (url) =>
      limitedTo(
        (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => `${uri.toString()}/`),
        { read: (address) => this.#text(vscode.Uri.parse(address)) },
      ).read(url),
  };

  /** @param endpoint member `endpoint` of the job file */
  async of(file: vscode.Uri, endpoint: string | undefined): Promise<JobSchema> {
    const manifest = await this.manifestOf(file, endpoint);
    if (manifest?.inputSchema === undefined) return { manifest };
    const url = relativeUrl(manifest.inputSchema, manifest.place.toString());
    try {
      return { manifest, input: await this.#input(url) };
    } catch (error) {
      if (error instanceof SchemaError) return { manifest, problem: error };
      throw error;
    }
  }

  async manifestOf(file: vscode.Uri, endpoint: string | undefined): Promise<JobManifest | undefined> {
    const folder = folderOf(file);
    if (!folder) return undefined;
    const manifests = await this.#manifestsIn(folder);
    const isInside = file.path.startsWith(`${folder.path}/`);
    const name = isInside ? path.posix.relative(folder.path, file.path) : path.posix.basename(file.path);
    return manifestOfJobFile({ path: name, endpoint }, manifests);
  }

  /** Returns the manifests of all workspace folders. */
  async all(): Promise<readonly JobManifest[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return (await Promise.all(folders.map(({ uri }) => this.#manifestsIn(uri)))).flat();
  }

  dispose(): void {
    for (const watcher of this.#watchers.values()) watcher.dispose();
    this.#changed.dispose();
  }

  #manifestsIn(folder: vscode.Uri): Promise<readonly JobManifest[]> {
    this.#watchManifests();
    const key = folder.toString();
    const known = this.#manifests.get(key);
    if (known) return known;
    const reading = import('../actions/readManifestCandidates.ts')
      .then(({ readManifestCandidates }) => readManifestCandidates(workspaceTree, folder, new AbortController().signal))
      .catch((error: unknown): readonly JobManifest[] => {
        this.#log.warn(`Could not read the manifests in ${folder.path}`, error);
        return [];
      });
    this.#manifests.set(key, reading);
    void Promise.all(this.#manifests.values()).then((found) => {
      this.#known = found.flat();
    });
    return reading;
  }

  #input(url: string): Promise<InputSchema> {
    const known = this.#inputs.get(url);
    if (known) return known;
    const reading = readInputSchema(this.files, url);
    this.#inputs.set(url, reading);
    return reading;
  }

  async #text(uri: vscode.Uri): Promise<string> {
    this.#read.add(uri.toString());
    // A pattern without a base folder uses the watcher of the workspace, which misses no event while it starts.
    this.#watch(globOf(uri), (changed) => this.#schemaChanged(changed));
    return workspaceTree.unsaved(uri) ?? new TextDecoder().decode(await workspaceTree.read(uri));
  }

  #watchManifests(): void {
    if (this.#watchers.has(MANIFEST_GLOB)) return;
    this.#watch(MANIFEST_GLOB, () => this.#manifestsChanged());
    this.#watchers.set(
      'editors',
      vscode.Disposable.from(
        vscode.workspace.onDidChangeTextDocument(({ document }) => {
          if (isManifest(document)) this.#manifestsChanged();
          else this.#schemaChanged(document.uri);
        }),
        vscode.workspace.onDidChangeWorkspaceFolders(() => this.#manifestsChanged()),
      ),
    );
  }

  #watch(pattern: string, changed: (uri: vscode.Uri) => void): void {
    if (this.#watchers.has(pattern)) return;
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    this.#watchers.set(
      pattern,
      vscode.Disposable.from(
        watcher,
        watcher.onDidCreate(changed),
        watcher.onDidChange(changed),
        watcher.onDidDelete(changed),
      ),
    );
  }

  #manifestsChanged(): void {
    this.#manifests.clear();
    this.#changed.fire();
  }

  #schemaChanged(uri: vscode.Uri): void {
    if (!this.#read.has(uri.toString())) return;
    this.#inputs.clear();
    this.#changed.fire();
  }
}

/** Returns the workspace folder of a file. A file without a folder, such as an unsaved one, belongs to the first workspace folder. */
function folderOf(file: vscode.Uri): vscode.Uri | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const own = vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (own || file.scheme !== 'untitled') return own;
  return (folders.find(({ uri }) => file.path.startsWith(`${uri.path}/`)) ?? folders[0])?.uri;
}

/** Returns a pattern for the files with the name of a file. */
function globOf(uri: vscode.Uri): string {
  return `**/${path.posix.basename(uri.path).replaceAll(/[[\]{}*?]/g, '[$&]')}`;
}
