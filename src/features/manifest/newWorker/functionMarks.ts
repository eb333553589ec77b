import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeAction, codeLens } from '../../../kit/marks.ts';
import { fileName, MANIFEST_GLOB } from '../manifestFiles.ts';
import { isImportable } from '../model/worker/functionFiles.ts';
import { pythonFunctions, type PythonFunction } from '../model/worker/pythonFunctions.ts';
import { SKIPPED_FOLDERS, TEST_FILE } from '../model/starters/detectHandler.ts';
import { writtenEndpoints } from '../model/text/parse.ts';

/* The lenses and code actions at Python functions, which are loaded with the first Python file. */

const MAKE: CommandId = 'cloudCompute.manifest.makeEndpoint';
const MAX_MANIFESTS = 500;
/** Maximum length of a file whose functions are searched, in UTF-16 code units. */
const MAX_LENGTH = 262_144;

/** Offers handlers as endpoints, unless a manifest runs their file. */
export async function provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
  const handlers = functionsIn(document).filter(({ isHandler }) => isHandler);
  if (handlers.length === 0 || (await hasManifest(document.uri))) return [];
  return handlers.map(({ name, start }) =>
    codeLens(document.positionAt(start).line, {
      title: l10n.t('Make This an Endpoint…'),
      tooltip: l10n.t('Writes a Dockerfile, a manifest, and a test for this function, and changes no file'),
      ...{ command: MAKE, arguments: [document.uri, name] },
    }),
  );
}

/** Offers the function whose signature is at the start of the range as an endpoint. */
export function provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
  const found = functionAt(document, range.start, functionsIn(document));
  if (!found) return [];
  const action = codeAction(l10n.t('Make This Function an Endpoint…'), vscode.CodeActionKind.Refactor);
  action.command = { title: action.title, command: MAKE, arguments: [document.uri, found.name] };
  return [action];
}

/** Returns the function whose signature is at a position. */
function functionAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  functions: readonly PythonFunction[],
): PythonFunction | undefined {
  return functions.find(({ start }) => document.positionAt(start).line === position.line);
}

/** Returns the functions of a file that could handle jobs. Tests, dependencies, and parts of packages have none. */
export function functionsIn(document: vscode.TextDocument): PythonFunction[] {
  const text = document.getText();
  const name = fileName(document.uri);
  const folders = path.posix.dirname(vscode.workspace.asRelativePath(document.uri, false)).split('/');
  if (text.length > MAX_LENGTH || TEST_FILE.test(name) || !isImportable(name, text)) return [];
  return folders.some((folder) => SKIPPED_FOLDERS.includes(folder)) ? [] : pythonFunctions(text);
}

/** Returns whether a manifest of the workspace runs or builds the folder of a file. */
async function hasManifest(uri: vscode.Uri): Promise<boolean> {
  for (const manifest of await vscode.workspace.findFiles(MANIFEST_GLOB, '**/node_modules/**', MAX_MANIFESTS)) {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(manifest));
    const folders = writtenEndpoints(text, manifest.path).flatMap((written) => {
      const { 'x-local': local, 'x-build': build } = written;
      return [memberOf(local, 'directory'), build === undefined ? undefined : (memberOf(build, 'context') ?? '.')];
    });
    const base = path.posix.dirname(manifest.path);
    const contains = (folder: string) => uri.path.startsWith(`${path.posix.resolve(base, folder)}/`);
    if (folders.some((folder) => folder !== undefined && contains(folder))) return true;
  }
  return false;
}

function memberOf(value: unknown, name: string): string | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}
