import * as vscode from 'vscode';
import { JOB_SCHEME, type ConnectedJob } from './jobAddress.ts';
import { JobDocuments } from './jobDocuments.ts';

/** Shows a job in the editor group that already shows jobs, or else beside the active editor. */
export async function showJobDocument(address: ConnectedJob): Promise<void> {
  const document = await vscode.workspace.openTextDocument(JobDocuments.uriOf(address));
  await vscode.window.showTextDocument(document, { viewColumn: jobColumn(), preview: true, preserveFocus: true });
}

function jobColumn(): vscode.ViewColumn {
  const isJob = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.scheme === JOB_SCHEME;
  const group = vscode.window.tabGroups.all.find(
    ({ activeTab, tabs }) => activeTab && isJob(activeTab) && tabs.length > 0,
  );
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
