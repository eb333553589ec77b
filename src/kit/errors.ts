import * as vscode from 'vscode';
import { ApiError } from '../client/apiError.ts';
import type { Log } from './log.ts';
import { showMessage } from './messages.ts';
import { LONGEST, type Showable } from '../text/shownText.ts';
import { explain, remedyOf } from './explain.ts';
import { UserError } from './userError.ts';

/** Returns whether the error means that the user canceled the operation. */
export function isCanceled(error: unknown): boolean {
  return error instanceof vscode.CancellationError || (error instanceof ApiError && error.kind === 'canceled');
}

/** Shows a failure once, with its remedy, and logs it. */
export function showError(log: Log, error: unknown, attempt: Showable): void {
  if (isCanceled(error)) return;
  const text = explain(error, attempt);
  log.error(text.text, causeToLog(error));
  const remedy = remedyOf(error);
  const labels = remedy ? [remedy.label] : [];
  void showMessage('error', text, ...labels).then((chosen) => {
    if (chosen !== undefined && remedy) void vscode.commands.executeCommand(remedy.command, remedy.argument);
  });
}

/** Returns the details that the log adds to the message: all of a long explanation, or an unexpected error with its stack. */
function causeToLog(error: unknown): unknown {
  if (!(error instanceof ApiError) && !(error instanceof UserError)) return error;
  const all = error instanceof ApiError && error.errors.length > 0 ? error.errors.join('\n') : error.message;
  return all.length > LONGEST ? all : undefined;
}
