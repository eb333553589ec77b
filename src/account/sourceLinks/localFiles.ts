import path from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import { baseName, fileWithCommonEnd, isLibraryPath } from './localFile.ts';

const MAX_FILES = 200;
const EXCLUDED = '**/{node_modules,site-packages,.venv,venv,.git}/**';
/** Time for which a result is kept, in ms. A growing log asks for the same files again with each update. */
const KEPT_MS = 30_000;
const MAX_KEPT = 1_000;

interface Kept {
  readonly until: number;
  readonly file: Promise<vscode.Uri | undefined>;
}

/** Finds the files on this machine that the paths of workers mean. */
export class LocalFiles {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves with undefined if no file or several files match.
   *
   * @param named path as a worker wrote it
   * @param directory the worker's directory on this machine. It comes before the folders of the workspace.
   */
  find(named: string, directory: string | undefined): Promise<vscode.Uri | undefined> {
    const key = JSON.stringify([directory, named]);
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept && now < kept.until) return kept.file;
    const file = fileOf(named, rootsOf(directory));
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { until: now + KEPT_MS, file });
    return file;
  }
}

function rootsOf(directory: string | undefined): readonly vscode.Uri[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return directory === undefined ? folders : [vscode.Uri.file(directory), ...folders];
}

/** Returns the file that a path of the worker means. A path outside of the folders is that of a container, so only its end counts. */
async function fileOf(named: string, roots: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const inside = roots.find((root) => root.scheme === 'file' && path.isAbsolute(named) && contains(root.fsPath, named));
  if (inside) {
    const uri = vscode.Uri.file(named);
    return (await exists(uri)) ? uri : undefined;
  }
  const name = baseName(named);
  if (isLibraryPath(named) || !/^[\w.@ -]+$/.test(name)) return undefined;
  // The first folder with a file of this name decides, because the worker's directory comes first.
  for (const root of roots) {
    const pattern = new vscode.RelativePattern(root, `**/${name}`);
    const found = await vscode.workspace.findFiles(pattern, EXCLUDED, MAX_FILES);
    const match = fileWithCommonEnd(
      named,
      found.map(({ fsPath }) => fsPath),
    );
    if (match !== undefined) return found.find(({ fsPath }) => fsPath === match);
    if (found.length > 0) return undefined;
  }
  return undefined;
}

function contains(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  const stat = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
  return stat !== undefined && (stat.type & vscode.FileType.File) !== 0;
}
