import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { fileExists } from '../../../kit/files.ts';
import { askItem, askText, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { readSources } from '../actions/newWorker.ts';
import { entryOf, testOf, workerFiles, type WorkerKind } from '../model/worker/workerFiles.ts';
import { workerNameProblem } from '../model/starters/fileNames.ts';
import { chooseTarget, writeNewFiles } from '../newFile/newFiles.ts';
import { pythonName } from '../newFile/findHandlers.ts';
import { offerRun } from './offerRun.ts';

const TITLE = l10n.t('New Worker');
const TOTAL_STEPS = 2;

const KINDS: readonly WorkerKind[] = [
  { language: 'python', type: 'queue' },
  { language: 'python', type: 'load-balanced' },
  { language: 'node', type: 'queue' },
  { language: 'node', type: 'load-balanced' },
];

/** Asks for the kind and the name of a worker, writes its files to a new folder, and opens its source. Writes nothing if the user dismisses a step. */
export async function newWorker(
  services: Pick<AccountServices, 'context' | 'log' | 'endpoints'>,
  argument: unknown,
): Promise<void> {
  const target = await chooseTarget(TITLE, argument);
  if (!target) return;
  const parent = target.folder ?? (await openFolder());
  if (!parent) return;
  const chosen = await chooseKindAndName(parent);
  if (!chosen) return;
  const { worker, name } = chosen;
  const sources = await readSources(services.context.extensionPath);
  const folder = vscode.Uri.joinPath(parent, name);
  await writeNewFiles(folder, workerFiles(name, worker, sources, pythonName()));
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, entryOf(worker)), { preview: false });
  offerRun(services, {
    name,
    manifest: vscode.Uri.joinPath(folder, `${name}.endpoint.yaml`),
    test: vscode.Uri.joinPath(folder, testOf(name, worker.type)),
    message: shown`Worker “${name}” created.`,
  });
}

async function chooseKindAndName(parent: vscode.Uri): Promise<{ worker: WorkerKind; name: string } | undefined> {
  const items = KINDS.map(itemOf);
  let active = items[0];
  for (;;) {
    const choice = await askItem({
      place: { title: TITLE, step: 1, totalSteps: TOTAL_STEPS },
      placeholder: l10n.t('Language of the worker, and how requests reach it'),
      items,
      active,
    });
    if (choice === undefined || choice === BACK) return undefined;
    active = choice.item;
    const name = await askText({
      place: { title: TITLE, step: 2, totalSteps: TOTAL_STEPS, back: true },
      prompt: l10n.t('Name of the worker, of its folder, and of its endpoint'),
      value: await freeName(parent),
      problem: workerNameProblem,
      attempt: async (text) =>
        (await fileExists(vscode.Uri.joinPath(parent, text)))
          ? shown`A folder named ${text} already exists.`
          : undefined,
    });
    if (typeof name === 'string') return { worker: choice.item.worker, name };
    if (name !== BACK) return undefined;
  }
}

function itemOf(worker: WorkerKind) {
  const language = worker.language === 'python' ? 'Python' : 'Node.js';
  return worker.type === 'queue'
    ? {
        label: shown`$(list-ordered) ${language}, Queue`,
        detail: l10n.t('A function handles jobs, which wait in a durable queue'),
        worker,
      }
    : {
        label: shown`$(globe) ${language}, Load-Balanced`,
        detail: l10n.t('An HTTP server receives requests directly'),
        worker,
      };
}

async function freeName(parent: vscode.Uri): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'hello' : `hello-${number}`;
    if (!(await fileExists(vscode.Uri.joinPath(parent, name)))) return name;
  }
}

async function openFolder(): Promise<vscode.Uri | undefined> {
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    title: l10n.t('Folder that will contain the folder of the worker'),
    openLabel: l10n.t('Select Folder'),
  });
  return uris?.[0];
}
