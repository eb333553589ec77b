import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

export interface TerminalOptions {
  readonly name: Showable;
  readonly directory: string;
  /** Variables in addition to those of the editor. */
  readonly environment?: Readonly<Record<string, string>>;
  /** First line, which explains the terminal. */
  readonly notice?: Showable;
}

/** Opens a terminal and shows it. */
export function openTerminal({ name, directory, environment = {}, notice }: TerminalOptions): vscode.Terminal {
  const terminal = vscode.window.createTerminal({
    name: safe(name),
    cwd: directory,
    env: { ...environment },
    iconPath: new vscode.ThemeIcon('server-process'),
    ...(notice !== undefined && { message: safe(notice) }),
  });
  terminal.show();
  return terminal;
}
