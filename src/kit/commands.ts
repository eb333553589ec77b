import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import { showError } from './errors.ts';
import type { Log } from './log.ts';
import { withSelectedRows } from './selectedRows.ts';

/** Receives arguments from VS Code, such as a tree node or a CodeLens argument. A key binding of a view passes its selected rows. The handler validates them. */
type Handler = (...args: unknown[]) => unknown;

/**
 * Registers a command whose failure is shown once, as "<attempt>: <reason>" with its remedy.
 *
 * @param attempt start of the error message, such as "Could not create the endpoint"
 */
export function registerCommand(log: Log, id: CommandId, attempt: string, handler: Handler): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await handler(...withSelectedRows(args));
    } catch (error) {
      showError(log, error, attempt);
      return undefined;
    }
  });
}
