import path from 'node:path';
import * as vscode from 'vscode';
import { documentLink } from '../../../vscode/marks.ts';
import { parseDocumentPath } from './jobAddress.ts';
import type { JobDocuments } from './jobDocuments.ts';
import { baseName, fileWithCommonEnd, isLibraryPath } from './localFile.ts';
import { tracebackPlaces, type TracebackPlace } from './tracebackPlaces.ts';

const MAX_FILES = 200;
const EXCLUDED = '**/{node_modules,site-packages,.venv,venv,.git}/**';

/** Links the places of a traceback to the files of the worker on this machine. */
export class TracebackLinks implements vscode.DocumentLinkProvider {
  readonly #documents: JobDocuments;

  constructor(documents: JobDocuments) {
    this.#documents = documents;
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    if (parseDocumentPath(document.uri.path)?.part !== 'error') return [];
    const places = tracebackPlaces(document.getText());
    if (places.length === 0) return [];
    const { directory } = await this.#documents.load(document.uri);
    const roots = rootsOf(directory);
    const files = new Map<string, vscode.Uri | undefined>();
    for (const { path: named } of places) if (!files.has(named)) files.set(named, await fileOf(named, roots));
    return places.flatMap((place) => {
      const file = files.get(place.path);
      return file ? [linkTo(file, place, document)] : [];
    });
  }
}

/** Returns the folders whose files are linked: the worker's directory, and the folders of the workspace. */
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

function linkTo(
  file: vscode.Uri,
  { start, end, line, column }: TracebackPlace,
  document: vscode.TextDocument,
): vscode.DocumentLink {
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  // The editor opens a file at the place in the fragment.
  const target = file.with({ fragment: column === undefined ? `L${line}` : `L${line},${column}` });
  return documentLink(range, target, 'Open file');
}
