import * as vscode from 'vscode';
import { hasTraceback } from './errorText.ts';
import type { Job } from '../../../contract/job.ts';
import { JOB_SCHEME } from '../jobShells.ts';
import type { ConnectedJob, JobPart } from './jobAddress.ts';
import { jobUri } from './jobDocuments.ts';

/** Number of lines from which the document of a result opens with its deeper levels folded. */
const MIN_FOLDED_LINES = 200;
/** Level from which a result is folded. The members of its output have the level 2. */
const FOLD = 'editor.foldLevel3';

/** Returns the document that shows the end of a job best: the error with its traceback, or the result. */
export function partToShow({ status, error }: Job): 'result' | 'error' {
  return (status === 'FAILED' || status === 'TIMED_OUT') && hasTraceback(error) ? 'error' : 'result';
}

/** Shows the document that shows the end of a job best. */
export async function showEnd(address: ConnectedJob, job: Job): Promise<void> {
  await showJobDocument(address, partToShow(job));
}

/** Shows a document of a job in the editor group that already shows jobs, or else beside the active editor. */
export async function showJobDocument(address: ConnectedJob, part: JobPart = 'result'): Promise<void> {
  const uri = jobUri(address, part);
  const isOpen = vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === uri.toString());
  const document = await vscode.workspace.openTextDocument(uri);
  const viewColumn = jobColumn();
  await vscode.window.showTextDocument(document, { viewColumn, preview: true, preserveFocus: true });
  if (part === 'result' && !isOpen && document.lineCount > MIN_FOLDED_LINES) await fold(document, viewColumn);
}

/** Folds a document, which must have the focus for it. Returns the focus to the editor that had it. */
async function fold(document: vscode.TextDocument, viewColumn: vscode.ViewColumn): Promise<void> {
  const before = vscode.window.activeTextEditor;
  const column = viewColumn === vscode.ViewColumn.Beside ? columnOf(document) : viewColumn;
  const editor = await vscode.window.showTextDocument(document, { viewColumn: column ?? viewColumn, preview: true });
  // The command acts on the editor with the focus, which the user can have moved.
  if (vscode.window.activeTextEditor === editor) await vscode.commands.executeCommand(FOLD);
  if (!before || before.document === document || before.viewColumn === undefined) return;
  await vscode.window.showTextDocument(before.document, {
    viewColumn: before.viewColumn,
    selection: before.selection,
  });
}

function columnOf(document: vscode.TextDocument): vscode.ViewColumn | undefined {
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
}

function jobColumn(): vscode.ViewColumn {
  const isJob = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.scheme === JOB_SCHEME;
  const group = vscode.window.tabGroups.all.find(
    ({ activeTab, tabs }) => activeTab && isJob(activeTab) && tabs.length > 0,
  );
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
