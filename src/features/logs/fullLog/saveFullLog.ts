import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { withProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { replaceFile, type WriteText } from '../../../kit/replaceFile.ts';
import { fileStem } from '../../../text/fileNames.ts';
import { writeLog } from './actions/writeLog.ts';
import type { FullLogStore } from './fullLogStore.ts';
import { workerWords, type LogSubject } from '../model/logSubject.ts';
import { grouped, lineCount, type LineFormat } from './model/pageText.ts';

const SHOWN_MS = 10_000;
const JSON_LINES = '.jsonl';

/** Saves all lines of a log to a file that the user chooses. The extension of its name decides the format. */
export async function saveFullLog(store: FullLogStore, subject: LogSubject, format: LineFormat): Promise<void> {
  const target = await vscode.window.showSaveDialog({
    title: l10n.t('Save Log As'),
    defaultUri: proposedFile(subject),
    filters: { 'Log as shown': ['log'], 'JSON Lines': ['jsonl'] },
  });
  if (!target) return;
  const lines = await withProgress(
    { title: l10n.t('Saving the log…'), location: vscode.ProgressLocation.Notification },
    async (signal, report) => {
      const onProgress = (written: number, total: number) =>
        report(shown`${Math.floor((written / Math.max(total, 1)) * 100)} % of ${grouped(total)} lines`);
      const fileFormat = target.path.toLowerCase().endsWith(JSON_LINES) ? 'jsonLines' : 'text';
      const options = { ...format, format: fileFormat, signal, onProgress } as const;
      try {
        return await store.use(subject, ({ logs }) => replace(target, (write) => writeLog(logs, write, options)));
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
  );
  if (lines !== undefined) showStatusBarMessage(shown`$(check) ${lineCount(lines)} saved`, SHOWN_MS);
}

/** Writes a file of any file system. The file is replaced once the new one is complete. */
async function replace(target: vscode.Uri, write: (write: WriteText) => Promise<number>): Promise<number> {
  let lines = 0;
  const writeTo = (file: string) =>
    replaceFile(file, async (append) => {
      lines = await write(append);
    });
  if (target.scheme === 'file') {
    await writeTo(target.fsPath);
    return lines;
  }
  // The interface of other file systems takes whole files only, and copies them without a copy in memory.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-log-'));
  try {
    const file = path.join(folder, 'log');
    await writeTo(file);
    await vscode.workspace.fs.copy(vscode.Uri.file(file), target, { overwrite: true });
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function proposedFile(subject: LogSubject): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const name = fileStem(`${subject.endpointName}-${workerWords(subject)}`, 'log');
  return vscode.Uri.joinPath(folder, `${name}.log`);
}
