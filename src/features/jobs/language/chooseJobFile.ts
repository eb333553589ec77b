import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../vscode/quickInput.ts';
import { UserError } from '../../../vscode/userError.ts';
import { findJobFiles, isJobFile, jobFileName } from '../jobFiles.ts';

/** Returns the job file that a command acts on: the one that its argument names, the one in the active editor, or one that the user picks. */
export async function chooseJobFile(argument: unknown, placeholder: string): Promise<vscode.Uri | undefined> {
  if (argument instanceof vscode.Uri && isJobFile(argument)) return argument;
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active && isJobFile(active)) return active;
  const files = await findJobFiles();
  if (files.length === 0)
    throw new UserError(l10n.t('there is no job file yet'), {
      label: l10n.t('New Job File…'),
      command: 'cloudCompute.jobs.newFile',
    });
  const items = files.map((uri) => {
    const folder = path.posix.dirname(vscode.workspace.asRelativePath(uri));
    return { label: jobFileName(uri), description: folder === '.' ? '' : folder, uri };
  });
  return (await pick(items, { placeholder }))?.uri;
}
