import * as vscode from 'vscode';
import { hasTraceback } from './loadedJob.ts';
import type { Job } from '../../../contract/job.ts';
import type { ConnectedJob } from '../actions/followedJob.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';
import { jobAddresses, type JobPart } from './jobAddress.ts';
import type { JobDocuments } from './jobDocuments.ts';

/** Number of lines from which the document of a result opens with its deeper levels folded. */
const MIN_FOLDED_LINES = 200;
/** Level from which a result is folded. The members of its output have the level 2. */
const FOLD = 'editor.foldLevel3';

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
