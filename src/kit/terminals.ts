import * as vscode from 'vscode';
import { safe, withoutControls, type Showable } from '../text/shownText.ts';

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

const CTRL_C = '\x03';

/** Writes foreign text to the terminal. It cannot move the cursor or write to the clipboard. */
type Print = (text: string) => void;

/** Terminals whose work has ended. */
const finished = new WeakSet<vscode.Terminal>();

/**
 * Runs work in a terminal, which shows its output. Ctrl-C and the end of the terminal abort the signal. Afterward, the terminal stays until a
 * key is pressed, or the next work with this name begins. Resolves or rejects with the result of the work.
 *
 * @param closing last line of the terminal, which explains how to close it
 */
export async function runInTerminal<Result>(
  { name, closing }: { readonly name: Showable; readonly closing: Showable },
  work: (print: Print, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const wrote = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<void>();
  const opened = Promise.withResolvers<void>();
  const abort = new AbortController();
  let isDone = false;
  const print: Print = (text) => wrote.fire(text.split(/\r?\n/).map(withoutControls).join('\r\n'));
  const pty: vscode.Pseudoterminal = {
    onDidWrite: wrote.event,
    onDidClose: closed.event,
    open: () => opened.resolve(),
    close: () => abort.abort(),
    handleInput: (data) => {
      if (isDone) closed.fire();
      else if (data === CTRL_C) abort.abort();
    },
  };
  for (const earlier of vscode.window.terminals)
    if (earlier.name === safe(name) && finished.has(earlier)) earlier.dispose();
  const terminal = vscode.window.createTerminal({ name: safe(name), pty, iconPath: new vscode.ThemeIcon('tools') });
  terminal.show(true);
  await opened.promise;
  try {
    return await work(print, abort.signal);
  } finally {
    isDone = true;
    finished.add(terminal);
    print(`\n${safe(closing)}\n`);
  }
}
