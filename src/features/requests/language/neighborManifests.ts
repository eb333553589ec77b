import * as vscode from 'vscode';
import { isManifestFile, MANIFEST_GLOB } from '../../manifest/index.ts';

/** Maximum number of manifests in a folder that are read, and the maximum size of one in bytes. */
const MAX_MANIFESTS = 20;
const MAX_MANIFEST_BYTES = 262_144;

/** Finds the endpoint that the requests of a file belong to: the only load-balanced one in the manifests of its folder. */
export class NeighborManifests implements vscode.Disposable {
  readonly #names = new Map<string, Promise<string | undefined>>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    const watcher = vscode.workspace.createFileSystemWatcher(MANIFEST_GLOB);
    const forget = () => {
      this.#names.clear();
      this.#changed.fire();
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      watcher,
      watcher.onDidCreate(forget),
      watcher.onDidChange(forget),
      watcher.onDidDelete(forget),
    );
  }

  /** Returns the name of the endpoint. Undefined without one, and with several. */
  endpointOf(file: vscode.Uri): Promise<string | undefined> {
    if (file.scheme === 'untitled' && !file.path.startsWith('/')) return Promise.resolve(undefined);
    const folder = vscode.Uri.joinPath(file.scheme === 'untitled' ? file.with({ scheme: 'file' }) : file, '..');
    const known = this.#names.get(folder.toString()) ?? onlyBalanced(folder).catch(() => undefined);
    this.#names.set(folder.toString(), known);
    return known;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

async function onlyBalanced(folder: vscode.Uri): Promise<string | undefined> {
  const entries = await vscode.workspace.fs.readDirectory(folder);
  const manifests = entries.map(([name]) => vscode.Uri.joinPath(folder, name)).filter(isManifestFile);
  const names = await Promise.all(manifests.slice(0, MAX_MANIFESTS).map(balancedIn));
  const found = new Set(names.flat());
  return found.size === 1 ? [...found][0] : undefined;
}

/** Returns the names of the load-balanced endpoints in a manifest. */
async function balancedIn(manifest: vscode.Uri): Promise<string[]> {
  const { writtenEndpoints } = await import('../../manifest/model/text/parse.ts');
  const { size } = await vscode.workspace.fs.stat(manifest);
  if (size > MAX_MANIFEST_BYTES) return [];
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(manifest));
  return writtenEndpoints(text, manifest.path).flatMap(({ name, type }) =>
    type === 'LOAD_BALANCER' && typeof name === 'string' ? [name] : [],
  );
}
