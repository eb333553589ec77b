import * as vscode from 'vscode';
import { safe, withoutControls, type Showable } from '../text/shownText.ts';

/** Size of a terminal, in characters. */
export interface ShellSize {
  readonly columns: number;
  readonly rows: number;
}

/** A connected shell. */
export interface ShellConnection {
  readonly write: (text: string) => void;
  readonly resize: (size: ShellSize) => void;
  readonly close: () => void;
}

export interface ShellListener {
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Called once, after the last output. */
  readonly onEnd: (end: ShellEnd) => void;
}

/** Why a shell has ended, and what a key does then. */
export interface ShellEnd {
  readonly message: Showable;
  /** Explains the keys. */
  readonly hint: Showable;
  /** Whether Enter connects another shell. Any other key closes the terminal. */
  readonly canReconnect: boolean;
}

export interface ShellTerminalOptions {
  readonly name: Showable;
  /** Shown while the shell is being connected. */
  readonly connecting: Showable;
  readonly connect: (size: ShellSize, listener: ShellListener, signal: AbortSignal) => Promise<ShellConnection>;
  /** Describes a rejection of `connect`. */
  readonly describe: (error: unknown) => ShellEnd;
}

const ENTER = '\r';
const DEFAULT_SIZE: ShellSize = { columns: 80, rows: 24 };
/** Maximum length of the input that waits for the connection, in characters. */
const MAX_WAITING = 65_536;

/**
 * Opens a terminal for a shell elsewhere, and shows it. The shell controls the terminal, so call it only if the user has asked for that
 * shell. Ctrl+C goes to the shell.
 */
export function openShellTerminal(options: ShellTerminalOptions): vscode.Terminal {
  const wrote = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<void>();
  const shell = new ShellOfTerminal(options, (text) => wrote.fire(text));
  const pty: vscode.Pseudoterminal = {
    onDidWrite: wrote.event,
    onDidClose: closed.event,
    open: (size) => shell.connect(size),
    close: () => shell.close(),
    handleInput: (text) => {
      if (!shell.type(text)) closed.fire();
    },
    setDimensions: (size) => shell.resize(size),
  };
  const iconPath = new vscode.ThemeIcon('server-process');
  const terminal = vscode.window.createTerminal({ name: safe(options.name), pty, iconPath });
  terminal.show();
  return terminal;
}

class ShellOfTerminal {
  readonly #options: ShellTerminalOptions;
  readonly #print: (text: string) => void;
  #abort = new AbortController();
  #size = DEFAULT_SIZE;
  #connection: ShellConnection | undefined;
  #end: ShellEnd | undefined;
  #waiting = '';

  constructor(options: ShellTerminalOptions, print: (text: string) => void) {
    this.#options = options;
    this.#print = print;
  }

  connect(size?: ShellSize): void {
    if (size) this.#size = { columns: size.columns, rows: size.rows };
    void this.#connect();
  }

  async #connect(): Promise<void> {
    const { connecting, connect, describe } = this.#options;
    const abort = (this.#abort = new AbortController());
    this.#end = undefined;
    this.#say(connecting);
    // Characters can arrive in parts.
    const decoder = new TextDecoder();
    const size = this.#size;
    const onEnd = (end: ShellEnd): void => {
      if (abort.signal.aborted) return;
      this.#connection = undefined;
      this.#waiting = '';
      this.#end = end;
      this.#print(`${decoder.decode()}\r\n`);
      this.#say(end.message);
      this.#say(end.hint);
    };
    try {
      const listener = { onOutput: (bytes: Uint8Array) => this.#print(decoder.decode(bytes, { stream: true })), onEnd };
      const connection = await connect(size, listener, abort.signal);
      if (abort.signal.aborted) connection.close();
      // The shell can end before its connection is returned.
      if (abort.signal.aborted || this.#hasEnded()) return;
      this.#connection = connection;
      if (this.#size !== size) connection.resize(this.#size);
      if (this.#waiting !== '') connection.write(this.#waiting);
      this.#waiting = '';
    } catch (error) {
      onEnd(describe(error));
    }
  }

  #hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Returns false if the terminal is to be closed. */
  type(text: string): boolean {
    if (this.#end) {
      if (!this.#end.canReconnect || text !== ENTER) return false;
      this.connect();
    } else if (this.#connection) this.#connection.write(text);
    else this.#waiting = (this.#waiting + text).slice(0, MAX_WAITING);
    return true;
  }

  resize({ columns, rows }: ShellSize): void {
    this.#size = { columns, rows };
    this.#connection?.resize(this.#size);
  }

  close(): void {
    this.#abort.abort();
    this.#connection?.close();
  }

  #say(text: Showable): void {
    this.#print(`${withoutControls(safe(text))}\r\n`);
  }
}
