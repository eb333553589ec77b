import path from 'node:path';
import * as vscode from 'vscode';
import type { Log } from '../../../kit/log.ts';
import { isManifest, MANIFEST_GLOB, workspaceTree } from '../../manifest/index.ts';
import type { PlacedCandidate } from '../actions/readManifestCandidates.ts';
import { isQueueManifest, manifestOfJobFile } from '../model/manifestOfJobFile.ts';
import {
  readInputSchema,
  type InputSchema,
  limitedTo,
  LONGEST_SCHEMA,
  relativeUrl,
  schemaTooLarge,
  SchemaError,
  type SchemaFiles,
} from '../model/schema/schemaFiles.ts';

export type JobManifest = PlacedCandidate<vscode.Uri>;

/** The manifest of a job file, and the schema of its input or the reason why the schema is not usable. */
export interface JobSchema {
  readonly manifest: JobManifest | undefined;
  readonly input?: InputSchema | undefined;
  /** The file that contains the schema, relative to the workspace. */
  readonly source?: string | undefined;
  readonly problem?: SchemaError | undefined;
}

/** A schema, and the address of the file that contains it. */
interface FoundSchema {
  readonly input: InputSchema;
  readonly place: vscode.Uri;
}

/** Maximum size of a read file, in bytes. A character has at most four. */
const LARGEST_FILE = 4 * LONGEST_SCHEMA;

/** Finds the manifests of job files and reads their input schemas. Reads nothing before the first job file is open. */
export class JobSchemas implements vscode.Disposable {
  readonly #log: Log;
  /** Manifests by the address of their workspace folder. */
  readonly #manifests = new Map<string, Promise<readonly JobManifest[]>>();
  /** Schemas by the address of their file, or by the manifest and the endpoint. */
  readonly #inputs = new Map<string, Promise<FoundSchema | undefined>>();
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
    return this.ofManifest(await this.manifestOf(file, endpoint));
  }

  /** Returns the schema of the manifest for a queue endpoint with this name. The manifest of an active editor's folder counts first. */
  async ofEndpoint(name: string): Promise<JobSchema> {
    const named = (await this.all()).filter((manifest) => manifest.name === name && isQueueManifest(manifest));
    const schemas = await Promise.all(named.map((manifest) => this.ofManifest(manifest)));
    return schemas.find(({ input, problem }) => input ?? problem) ?? { manifest: named[0] };
  }

  async ofManifest(manifest: JobManifest | undefined): Promise<JobSchema> {
    if (!manifest) return { manifest };
    this.#watchManifests();
    try {
      const found = await this.#found(manifest);
      return { manifest, input: found?.input, source: found && vscode.workspace.asRelativePath(found.place) };
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

  #found({ inputSchema, place, name = '', sources = [] }: JobManifest): Promise<FoundSchema | undefined> {
    const manifest = place.toString();
    if (typeof inputSchema === 'string') {
      const url = relativeUrl(inputSchema, manifest);
      return this.#once(url, async () => ({
        input: await readInputSchema(this.files, url),
        place: vscode.Uri.parse(url),
      }));
    }
    // References of the schema are relative to the manifest.
    const url = relativeUrl(`${name}.input.schema.json`, manifest);
    return this.#once(`${manifest} ${name}`, () =>
      inputSchema
        ? Promise.resolve({ input: { url, schema: inputSchema }, place })
        : this.#declared(sources, url, manifest),
    );
  }

  /** Reads the schema that the source of a worker declares. */
  async #declared(sources: readonly string[], url: string, manifest: string): Promise<FoundSchema | undefined> {
    if (sources.length === 0) return undefined;
    const { declaredInput } = await import('../model/declared/declaredInput.ts');
    const files = {
      read: (file: string) => this.files.read(relativeUrl(file, manifest)).catch(() => undefined),
    };
    for (const source of sources) {
      const schema = await declaredInput(files, source);
      if (schema !== undefined)
        return { input: { url, schema }, place: vscode.Uri.parse(relativeUrl(source, manifest)) };
    }
    return undefined;
  }

  #once(key: string, read: () => Promise<FoundSchema | undefined>): Promise<FoundSchema | undefined> {
    const known = this.#inputs.get(key);
    if (known) return known;
    const reading = read();
    this.#inputs.set(key, reading);
    return reading;
  }

  async #text(uri: vscode.Uri): Promise<string> {
    this.#read.add(uri.toString());
    // A pattern without a base folder uses the watcher of the workspace, which misses no event while it starts.
    this.#watch(globOf(uri), (changed) => this.#schemaChanged(changed));
    const unsaved = workspaceTree.unsaved(uri);
    if (unsaved !== undefined) return unsaved;
    if ((await workspaceTree.size(uri)) > LARGEST_FILE) throw schemaTooLarge();
    return new TextDecoder().decode(await workspaceTree.read(uri));
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
    this.#inputs.clear();
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
