import * as vscode from 'vscode';
import type { JobAddress } from '../../client/followJob.ts';
import { JOB_SCHEME } from './jobAddress.ts';
import { JobDocuments } from './jobDocuments.ts';

/** Shows a job where jobs are shown already, else beside what is being worked on. */
export async function showJobDocument(address: JobAddress): Promise<void> {
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
