import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import { showError } from './errors.ts';
import type { Log } from './log.ts';
import { withSelectedRows } from './selectedRows.ts';

/** A row of a command table. */
export interface Command {
  /** Start of the error message, such as "Could not create the endpoint". */
  readonly failure: string;
  /**
   * Receives arguments from VS Code, such as a tree node or a CodeLens argument. A key binding of a view passes its selected rows. The
   * function validates them, and loads its code with `import()`.
   */
  readonly run: (...args: unknown[]) => unknown;
}

/** Commands by ID. Each feature has one table. */
export type CommandTable = Readonly<Partial<Record<CommandId, Command>>>;

/** Registers the commands of a table. A failure is shown once, as "<failure>: <reason>" with its remedy. */
export function registerCommands(log: Log, table: CommandTable): vscode.Disposable {
  const registered = Object.entries(table).map(([id, { failure, run }]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await run(...withSelectedRows(args));
      } catch (error) {
        showError(log, error, failure);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** Returns the `run` of a command with a target, such as a job. @param find returns undefined if the user picks none */
export function on<Target>(
  find: (args: readonly unknown[]) => Promise<Target | undefined>,
  run: (target: Target) => unknown,
): Command['run'] {
  return async (...args) => {
    const target = await find(args);
    return target === undefined ? undefined : run(target);
  };
}
