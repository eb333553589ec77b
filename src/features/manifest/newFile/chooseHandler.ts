import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { askPaged } from '../../../kit/pagedPick.ts';
import { BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { handlerSections } from '../model/starters/fromHandler.ts';
import { findHandlers, pythonFor, type FoundHandler, pythonName } from './findHandlers.ts';
import { STARTER_PLACE, type Answer, type Starter } from './starter.ts';

/** Asks for a worker in the workspace folder that contains the folder of the new file. */
export async function chooseHandler(folder: vscode.Uri): Promise<Answer<Starter>> {
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri ?? folder;
  const chosen = await askPaged({
    place: STARTER_PLACE,
    placeholder: l10n.t('Worker that the local platform runs'),
    empty: l10n.t('No file in this folder starts a Python or Node.js worker: a worker SDK or an HTTP server.'),
    pages: (signal) => itemPage(root, signal),
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { handler, uri } = chosen.found;
  const source = path.posix.dirname(uri.path);
  const python = handler.language === 'python' ? await pythonFor(uri, root) : pythonName();
  const directory = path.posix.relative(folder.path, source) || '.';
  return {
    name: path.posix.basename(source),
    sections: (name) => handlerSections(handler, { name, directory, python }),
  };
}

async function* itemPage(root: vscode.Uri, signal: AbortSignal) {
  yield { items: (await findHandlers(root, signal)).map(itemOf), more: false };
}

function itemOf(found: FoundHandler) {
  const { handler } = found;
  const language = handler.language === 'python' ? 'Python' : 'Node.js';
  const kind = handler.kind === 'queue' ? l10n.t('takes jobs from a queue') : l10n.t('HTTP server');
  return {
    label: shown`$(file-code) ${handler.file}`,
    description: path.posix.dirname(found.path),
    detail: `${language} · ${kind}`,
    found,
  };
}
