import * as vscode from 'vscode';
import { safe, withoutControls, type Showable, logText } from '../text/shownText.ts';

/* Output channels. Their text also comes from servers and workers, so it cannot forge entries or contain control characters. */

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

/** An output channel of plain lines. */
export interface Output {
  append(text: string): void;
  /** Replaces all text. */
  replace(text: string): void;
  clear(): void;
  /** Shows the channel without moving the focus. */
  show(): void;
  dispose(): void;
}

/** Creates an output channel with the syntax colors of a language. Control characters other than line breaks and tabs are removed. */
export function createOutput(name: Showable, language: string): Output {
  const channel = vscode.window.createOutputChannel(safe(name), language);
  return {
    append: (text) => channel.append(withoutControls(text)),
    replace: (text) => channel.replace(withoutControls(text)),
    clear: () => channel.clear(),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
