import os from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { statusWords } from '../../../account/jobWords.ts';
import { documentUri } from './documentUri.ts';
import type { JobDocuments } from './jobDocuments.ts';
import type { LoadedJob } from './loadedJob.ts';
import { savedOutput } from './savedOutput.ts';

const SHOWN_MS = 10_000;

/** Saves the complete output of a job to a file that the user chooses. @param argument address of a document of the job, or nothing */
export async function saveOutput(documents: JobDocuments, argument: unknown): Promise<void> {
  const loaded = await documents.jobOf(documentUri(argument));
  const { job } = loaded;
  if (!job) throw new UserError(l10n.t('the result of this job is not available'));
  const saved = savedOutput(job);
  if (!saved) throw new UserError(shown`the job is ${statusWords(job.status)} and has no output`);
  const target = await vscode.window.showSaveDialog({ defaultUri: proposedFile(loaded, saved.extension) });
  if (!target) return;
  const bytes = await saved.bytes();
  await vscode.workspace.fs.writeFile(target, bytes);
  showStatusBarMessage(shown`$(check) Output saved (${dataSize(bytes.length)})`, SHOWN_MS);
}

function proposedFile({ address, stored }: LoadedJob, extension: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const name = `${stored?.endpointName ?? 'job'}-${address.jobId}`.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  return vscode.Uri.joinPath(folder, `${name}.${extension}`);
}
