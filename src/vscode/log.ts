import * as vscode from 'vscode';
import { logText } from './text/logText.ts';
import { safe, type Showable } from './text/shownText.ts';

/* Output channels. What is written to them comes from servers and workers as well: it cannot forge entries or hold control characters. */

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** A log with levels. */
export interface Log extends Readonly<Record<Level, (text: string, cause?: unknown) => void>> {
  show(): void;
  dispose(): void;
}

export function createLog(name: Showable): Log {
  const channel = vscode.window.createOutputChannel(safe(name), { log: true });
  const writer = (level: Level) => (text: string, cause?: unknown) =>
    channel[level](logText(cause === undefined ? text : `${text}\n${causeText(cause)}`));
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}

function causeText(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

/** A channel of lines in a language that colors them. The text is one that the caller has made fit for a channel. */
export function createOutput(name: Showable, language: string): vscode.OutputChannel {
  return vscode.window.createOutputChannel(safe(name), language);
}
