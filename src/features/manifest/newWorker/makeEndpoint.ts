import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { fileExists } from '../../../kit/files.ts';
import { pick } from '../../../kit/quickInput.ts';
import { askText } from '../../../kit/steps.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import { readSources } from '../actions/newWorker.ts';
import { fileName } from '../manifestFiles.ts';
import { functionEndpointName, functionFiles } from '../model/worker/functionFiles.ts';
import type { PythonFunction } from '../model/worker/pythonFunctions.ts';
import { workerNameProblem } from '../model/starters/fileNames.ts';
import { pythonFor } from '../newFile/findHandlers.ts';
import { writeNewFiles } from '../newFile/newFiles.ts';
import { functionsIn } from './functionMarks.ts';
import { offerRun } from './offerRun.ts';

/** Maximum size of an existing file that is read, in bytes. */
const MAX_BYTES = 262_144;

/**
 * Asks for a name, and writes the files that make a Python function an endpoint beside its file. Never changes an existing file.
 *
 * @param uri file with the function. Default: the active editor
 * @param name of the function. Default: one that the user picks
 */
export async function makeEndpoint(
  services: Pick<AccountServices, 'context' | 'log' | 'endpoints'>,
  uri: unknown,
  name: unknown,
): Promise<void> {
  const document = await documentOf(uri);
  const found = await chooseFunction(document, name);
  if (!found) return;
  const folder = vscode.Uri.joinPath(document.uri, '..');
  const endpoint = await askText({
    place: { title: l10n.t('Make This an Endpoint') },
    prompt: shown`Name of the endpoint that runs ${found.name}`,
    value: functionEndpointName(document.uri.path, found.name),
    problem: workerNameProblem,
    attempt: async (text) => {
      for (const file of [`${text}.endpoint.yaml`, `${text}.job.json`])
        if (await fileExists(vscode.Uri.joinPath(folder, file))) return shown`A file named ${file} already exists.`;
      return undefined;
    },
  });
  if (typeof endpoint !== 'string') return;
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri ?? folder;
  const existing = await textsIn(folder);
  const source = {
    ...{ name: endpoint, function: found, file: fileName(document.uri), text: document.getText() },
    ...{ python: await pythonFor(document.uri, root), textOf: (file: string) => existing.get(file) },
  };
  const files = functionFiles(source, await readSources(services.context.extensionPath));
  await writeNewFiles(folder, files);
  const [manifest, test] = files.map((file) => vscode.Uri.joinPath(folder, file.path));
  if (!manifest || !test) return;
  await vscode.window.showTextDocument(test, { preview: false });
  const others = files.map((file) => file.path).join(', ');
  offerRun(services, {
    name: endpoint,
    manifest,
    test,
    message: shown`These files make ${found.name} an endpoint: ${others}.`,
  });
}

async function documentOf(uri: unknown): Promise<vscode.TextDocument> {
  if (uri instanceof vscode.Uri) return vscode.workspace.openTextDocument(uri);
  const active = vscode.window.activeTextEditor?.document;
  if (active?.languageId !== 'python') throw new UserError(l10n.t('no Python file is open'));
  return active;
}

async function chooseFunction(document: vscode.TextDocument, name: unknown): Promise<PythonFunction | undefined> {
  const functions = functionsIn(document);
  const [only, ...others] = functions;
  if (!only)
    throw new UserError(
      shown`${fileName(document.uri)} has no function for jobs: one at the top level with exactly one required parameter`,
    );
  const named = functions.find((one) => one.name === name);
  if (named || others.length === 0) return named ?? only;
  const items = functions.map((one) => ({ label: one.name, description: one.parameter, one }));
  return (await pick(items, { placeholder: l10n.t('Function that handles the jobs') }))?.one;
}

/** Returns the texts of the files in a folder. A file that is not text, or too large, has an empty text. */
async function textsIn(folder: vscode.Uri): Promise<ReadonlyMap<string, string>> {
  const names = (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name);
  const texts = await Promise.all(
    names.map(async (name) => {
      const known = /\.(py|txt)$/.test(name);
      return [path.posix.basename(name), known ? await textOf(vscode.Uri.joinPath(folder, name)) : ''] as const;
    }),
  );
  return new Map(texts);
}

async function textOf(file: vscode.Uri): Promise<string> {
  const { size, type } = await vscode.workspace.fs.stat(file);
  if (!(type & vscode.FileType.File) || size > MAX_BYTES) return '';
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}
