import * as vscode from 'vscode';
import { hasTraceback } from './loadedJob.ts';
import type { Job } from '../../../contract/job.ts';
import type { ConnectedJob } from '../actions/followedJob.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';
import { jobAddresses, type JobPart } from './jobAddress.ts';
import type { JobDocuments } from './jobDocuments.ts';

/** Returns the document that shows the end of a job best: the error with its traceback, or the result. */
export function partToShow({ status, error }: Job): 'result' | 'error' {
  return (status === 'FAILED' || status === 'TIMED_OUT') && hasTraceback(error) ? 'error' : 'result';
}

/** Shows the document that shows the end of a job best. */
export async function showEnd(documents: Pick<JobDocuments, 'uri'>, address: ConnectedJob, job: Job): Promise<void> {
  await showJobDocument(documents, address, partToShow(job));
}

/** Shows a document of a job in the editor group that already shows jobs, or else beside the active editor. */
export async function showJobDocument(
  documents: Pick<JobDocuments, 'uri'>,
  address: ConnectedJob,
  part: JobPart = 'result',
): Promise<void> {
  const uri = documents.uri(address, part);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: jobColumn(), preview: true, preserveFocus: true });
}

function jobColumn(): vscode.ViewColumn {
  const isJob = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.scheme === JOB_SCHEME;
  const group = vscode.window.tabGroups.all.find(
    ({ activeTab, tabs }) => activeTab && isJob(activeTab) && tabs.length > 0,
  );
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** Opens the document of a stream beside the active editor, with the cursor at its end. */
export async function showStream(documents: Pick<JobDocuments, 'uri'>, address: ConnectedJob): Promise<void> {
  await showJobDocument(documents, address, 'stream');
  const uri = documents.uri(address, 'stream').toString();
  for (const editor of vscode.window.visibleTextEditors) if (editor.document.uri.toString() === uri) moveToEnd(editor);
}

/** Keeps the view of a stream at its end while the cursor is there. */
export function followStreamEnds(): vscode.Disposable {
  const ends = new Map<string, vscode.Position>();
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!isStream(document)) return;
      const key = document.uri.toString();
      const [before, end] = [ends.get(key), endOf(document)];
      ends.set(key, end);
      for (const editor of vscode.window.visibleTextEditors) {
        const { active, isEmpty } = editor.selection;
        const wasAtEnd = isEmpty && (active.isEqual(end) || (before !== undefined && active.isEqual(before)));
        if (editor.document === document && wasAtEnd) moveToEnd(editor);
      }
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isStream(document)) ends.set(document.uri.toString(), endOf(document));
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void ends.delete(uri.toString())),
  );
}

function moveToEnd(editor: vscode.TextEditor): void {
  const end = endOf(editor.document);
  editor.selection = new vscode.Selection(end, end);
  editor.revealRange(new vscode.Range(end, end));
}

function endOf(document: vscode.TextDocument): vscode.Position {
  return document.lineAt(document.lineCount - 1).range.end;
}

function isStream({ uri }: vscode.TextDocument): boolean {
  return jobAddresses.parse(uri)?.part === 'stream';
}
