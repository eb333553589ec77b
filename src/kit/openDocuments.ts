import * as vscode from 'vscode';
import type { Clock } from '../client/clock.ts';
import type { Log } from './log.ts';

export interface OpenDocumentsOptions<Read> {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns whether a document has the language. */
  readonly isOwn: (document: vscode.TextDocument) => boolean;
  /** Delay between a change and its check, in ms. It combines the changes of one command, such as a rename. */
  readonly debounceMs: number;
  /** Reads the current version of a document. Called at most once for each check. */
  readonly read: (document: vscode.TextDocument) => Promise<Read>;
}

/**
 * Reads the open documents of one language: when they open, after they change, and when `readAgain` is called. All services of the language
 * share the results.
 */
export class OpenDocuments<Read> implements vscode.Disposable {
  readonly #options: OpenDocumentsOptions<Read>;
  readonly #pending = new Map<string, AbortController>();
  readonly #read = new vscode.EventEmitter<Read>();
  /** Fired after a document was read. */
  readonly onDidRead = this.#read.event;
  readonly #closed = new vscode.EventEmitter<vscode.TextDocument>();
  readonly onDidClose = this.#closed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: OpenDocumentsOptions<Read>) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#read,
      this.#closed,
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document, 0)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document, options.debounceMs)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
    );
  }

  /** Reads all open documents, because their context has changed. @param delayMs delay in ms, which combines several changes */
  readAgain(delayMs = 0): void {
    for (const document of vscode.workspace.textDocuments) if (!document.isClosed) this.#schedule(document, delayMs);
  }

  /** Reports a result that was read outside of the schedule. */
  report(read: Read): void {
    this.#read.fire(read);
  }

  dispose(): void {
    for (const pending of this.#pending.values()) pending.abort();
    this.#subscriptions.dispose();
  }

  #schedule(document: vscode.TextDocument, delayMs: number): void {
    const { clock, isOwn, log, read } = this.#options;
    if (!isOwn(document)) return;
    this.#cancel(document);
    const pending = new AbortController();
    this.#pending.set(document.uri.toString(), pending);
    clock
      .sleep(delayMs, pending.signal)
      .then(async () => {
        const result = await read(document);
        if (!pending.signal.aborted && !document.isClosed) this.#read.fire(result);
      })
      .catch((error: unknown) => {
        if (!pending.signal.aborted) log.error(`Could not check ${document.uri.path}`, error);
      });
  }

  #cancel(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    this.#pending.get(key)?.abort();
    this.#pending.delete(key);
  }

  #forget(document: vscode.TextDocument): void {
    if (!this.#options.isOwn(document)) return;
    this.#cancel(document);
    this.#closed.fire(document);
  }
}

/** Calls a function once a document of a language is open. */
export function onFirstDocument(
  isOwn: (document: vscode.TextDocument) => boolean,
  listener: () => void,
): vscode.Disposable {
  if (vscode.workspace.textDocuments.some(isOwn)) {
    listener();
    return new vscode.Disposable(() => undefined);
  }
  const subscription = vscode.workspace.onDidOpenTextDocument((document) => {
    if (!isOwn(document)) return;
    subscription.dispose();
    listener();
  });
  return subscription;
}
