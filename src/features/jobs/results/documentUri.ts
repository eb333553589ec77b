import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../../kit/userError.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';

/** Returns the address of a job's document: the argument of a command, or the active editor. @throws UserError if there is none */
export function documentUri(argument: unknown): vscode.Uri {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== JOB_SCHEME) throw new UserError(l10n.t('no result of a job is open'));
  return uri;
}
