import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileExists } from '../../../kit/files.ts';
import type { ShownItem } from '../../../kit/quickInput.ts';
import { askItem, askText, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { fileName, languageOf } from '../manifestFiles.ts';
import { completeFileName, endpointNameOf, fileNameProblem, newFileName } from '../model/starters/fileNames.ts';
import {
  chooseEndpoint,
  chooseExample,
  chooseHandler,
  chooseTemplate,
  TITLE,
  TOTAL_STEPS,
  type Answer,
  type Starter,
} from './chooseStarter.ts';
import { chooseTarget, type Target, writeNewFiles } from './newFiles.ts';
import { manifestText, nameSpan, type Section } from '../model/starters/section.ts';

interface SourceItem extends ShownItem {
  readonly choose: () => Promise<Answer<Starter>>;
}

/** Asks for the content and the name of a manifest, creates the file, and opens it. Creates nothing if the user dismisses a step. */
export async function newEndpointFile(
  services: Pick<AccountServices, 'globalState' | 'connections' | 'endpoints' | 'secrets'>,
  argument: unknown,
): Promise<void> {
  const target = await chooseTarget(TITLE, argument);
  if (!target) return;
  const items = sourceItems(services, target);
  let active: SourceItem | undefined;
  for (;;) {
    const choice = await askItem({
      place: { title: TITLE, step: 1, totalSteps: TOTAL_STEPS },
      placeholder: l10n.t('Content of the new file'),
      items,
      active,
    });
    if (choice === undefined || choice === BACK) return;
    active = choice.item;
    if ((await chooseAndCreate(target, active)) !== BACK) return;
  }
}

/** Runs the steps after the first one. Resolves with `BACK` if the user returns to the first step. */
async function chooseAndCreate(target: Target, { choose }: SourceItem): Promise<typeof BACK | undefined> {
  for (;;) {
    const starter = await choose();
    if (starter === undefined || starter === BACK) return starter;
    const name = await askName(target, starter);
    if (name === undefined) return undefined;
    if (name === BACK) continue;
    await createFile(target.folder, name, starter.sections(endpointNameOf(name)));
    return undefined;
  }
}

function sourceItems(
  services: Pick<AccountServices, 'globalState' | 'connections' | 'endpoints' | 'secrets'>,
  target: Target,
): SourceItem[] {
  const { folder } = target;
  const local: SourceItem = {
    label: shown`$(file-code) Local Worker`,
    detail: l10n.t('Finds Python and Node.js workers in the workspace and fills in x-local'),
    choose: () => (folder ? chooseHandler(folder) : Promise.resolve(undefined)),
  };
  return [
    {
      label: shown`$(book) Example`,
      detail: l10n.t('A complete manifest with comments: queue-based or load-balanced, with GPUs or CPUs'),
      choose: chooseExample,
    },
    ...(folder ? [local] : []),
    {
      label: shown`$(package) Template`,
      detail: l10n.t('A template of your account or of the public catalog'),
      choose: () => chooseTemplate(services),
    },
    {
      label: shown`$(server-process) Existing Endpoint`,
      detail: l10n.t('A copy of an endpoint of the current connection'),
      choose: () => chooseEndpoint(services, folder),
    },
  ];
}

/** Asks for the name of the file. Its extension decides between YAML and JSON. */
async function askName({ folder }: Target, starter: Starter): Promise<Answer<string>> {
  const answer = await askText({
    place: { title: TITLE, step: 3, totalSteps: TOTAL_STEPS, back: true },
    prompt: l10n.t('Name of the file. For JSON, end it with .json.'),
    value: newFileName(starter.name, await takenNames(folder)),
    problem: fileNameProblem,
    attempt: async (text) => {
      const name = completeFileName(text);
      const isTaken = folder
        ? await fileExists(vscode.Uri.joinPath(folder, name))
        : (await takenNames(undefined)).includes(name);
      return isTaken ? shown`A file named ${name} already exists.` : undefined;
    },
  });
  return typeof answer === 'string' ? completeFileName(answer) : answer === BACK ? BACK : undefined;
}

/** Returns the names of the files in a folder and of the untitled documents. */
async function takenNames(folder: vscode.Uri | undefined): Promise<string[]> {
  const open = vscode.workspace.textDocuments.filter(({ isUntitled }) => isUntitled).map(({ uri }) => fileName(uri));
  if (!folder) return open;
  return [...open, ...(await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name)];
}

/** Writes a new file, or opens an untitled one without a folder, and selects the name of its endpoint. @throws UserError */
export async function createFile(
  folder: vscode.Uri | undefined,
  name: string,
  sections: readonly Section[],
): Promise<void> {
  const uri = folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.from({ scheme: 'untitled', path: name });
  const language = languageOf(uri);
  const text = manifestText(sections, language);
  const document = folder ? await written(folder, name, text) : await untitled(uri, text);
  const { start, end } = nameSpan(text, language);
  const selection = new vscode.Range(document.positionAt(start), document.positionAt(end));
  await vscode.window.showTextDocument(document, { selection, preview: false });
}

async function written(folder: vscode.Uri, name: string, text: string): Promise<vscode.TextDocument> {
  await writeNewFiles(folder, [{ path: name, text }]);
  return vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, name));
}

/** Opens an unsaved file with this text, without showing it. */
async function untitled(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}
