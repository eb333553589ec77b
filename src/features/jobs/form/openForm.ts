import * as vscode from 'vscode';
import { isJobFile } from '../jobShells.ts';
import type { JobServices } from '../jobServices.ts';

/** Opens a form beside a job file. @param argument address of the file, or nothing for the one of the active editor */
export async function openForm({ forms }: Pick<JobServices, 'forms'>, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri && isJobFile(uri)) await forms.openForFile(uri);
}
