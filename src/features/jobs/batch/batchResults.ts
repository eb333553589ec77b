import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import { showMessage } from '../../../kit/messages.ts';
import { shown } from '../../../text/shownText.ts';
import { existing, resultFilesOf, writeResults, type ResultFiles } from './actions/writeResults.ts';
import { readJournal } from './journal.ts';

/** Maximum size of results that open by themselves, in bytes. */
const MAX_OPENED_BYTES = 20_000_000;

const Written = z.object({ jsonLines: z.string(), csv: z.string() });
const writtenFile = (folder: string): string => path.join(folder, 'written.json');

/**
 * Writes the results of a batch next to its source. Asks before it replaces files that another batch or program has written. Falls back to
 * the folder of the batch. Can be called again, such as after rows were retried.
 *
 * @returns the file to open, or undefined if the user dismissed a question
 */
export async function saveResults(folder: string): Promise<string | undefined> {
  const { state } = await readJournal(folder);
  const own = await ownFiles(folder);
  const files = own ?? (await chooseFiles(resultFilesOf(state.header.source)));
  if (!files) return undefined;
  try {
    await writeResults(folder, state, files);
    await writeFile(writtenFile(folder), JSON.stringify(files), { mode: 0o600 });
    return files.jsonLines;
  } catch (error) {
    const { message } = error as Error;
    const inStorage = resultFilesOf(state.header.source, folder);
    await writeResults(folder, state, inStorage, 0o600);
    void showMessage('warning', shown`The results are not next to their source, because of an error (${message}).`);
    return inStorage.jsonLines;
  }
}

/** Opens a file of results. Large ones are revealed in the file explorer of the system. */
export async function openResults(file: string): Promise<void> {
  const uri = vscode.Uri.file(file);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MAX_OPENED_BYTES) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.window.showTextDocument(uri, { preview: true });
}

/** Returns the files that this batch wrote earlier. */
async function ownFiles(folder: string): Promise<ResultFiles | undefined> {
  try {
    return Written.safeParse(JSON.parse(await readFile(writtenFile(folder), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

async function chooseFiles(files: ResultFiles): Promise<ResultFiles | undefined> {
  const taken = await existing(files);
  if (taken.length === 0) return files;
  const [replace, keep] = [l10n.t('Replace'), l10n.t('Keep Both')] as const;
  const question = shown`“${path.basename(taken[0] ?? '')}” already exists. Replace it with the results of the batch?`;
  const chosen = await showMessage('warning', question, replace, keep);
  if (chosen === replace) return files;
  return chosen === keep ? freeFiles(files) : undefined;
}

async function freeFiles(files: ResultFiles): Promise<ResultFiles> {
  for (let number = 2; ; number++) {
    const numbered = (file: string): string => {
      const { dir, name, ext } = path.parse(file);
      return path.join(dir, `${name}-${number}${ext}`);
    };
    const candidate = { jsonLines: numbered(files.jsonLines), csv: numbered(files.csv) };
    if ((await existing(candidate)).length === 0) return candidate;
  }
}
