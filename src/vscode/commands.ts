import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import { showError } from './errors.ts';
import type { Log } from './log.ts';

/** Arguments come from VS Code (a tree node, a CodeLens) and are checked by the handler. */
type Handler = (...args: unknown[]) => unknown;

/**
 * Registers a command whose failure is shown once, as "<attempt>: <reason>" with its remedy.
 *
 * @param attempt what the command tries, as the start of a sentence, such as "Could not create the endpoint"
 */
export function registerCommand(log: Log, id: CommandId, attempt: string, handler: Handler): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await handler(...args);
    } catch (error) {
      showError(log, error, attempt);
      return undefined;
    }
  });
}
