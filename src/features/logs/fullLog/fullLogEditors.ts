import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { onDidHideDocument } from '../../../kit/documents/documents.ts';
import { Emitter, type Subscription } from '../../../kit/emitter.ts';
import type { Log } from '../../../kit/log.ts';
import type { FullLogDocuments } from './fullLogDocuments.ts';
import { placeOf, positionIn } from './logDocument.ts';
import type { FullLogSource } from './fullLogStore.ts';
import { isAtEnd, moveToEnd, type FullLogView } from './fullLogView.ts';
import { includesWorker, subjectKey, type LogSubject } from '../model/logSubject.ts';

/** The place of the cursor in its line after the line moved to another page. */
const CURSOR = { start: 0, end: 0 };
/** Minimum time between two refreshes, in ms. */
const INTERVAL_MS = 1_000;

export interface FullLogEditorsOptions {
  readonly source: Pick<FullLogSource, 'onDidChange'>;
  readonly documents: FullLogDocuments;
  readonly view: FullLogView;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the visible pages of logs up to date. A cursor at the end of the newest page stays at the end of the log. Other cursors stay at
 * their lines, also after the lines moved to other pages.
 */
export class FullLogEditors implements vscode.Disposable {
  readonly #options: FullLogEditorsOptions;
  /** Addresses of the documents whose logs have changed. */
  readonly #stale = new Set<string>();
  readonly #subscriptions: Subscription[];
  readonly #visible = new Emitter<void>();
  /** Fires when other logs may have become visible. */
  readonly onDidChangeVisible = this.#visible.event;
  #stopWaiting: (() => void) | undefined;
  #refreshing = false;
  #refreshedAt = 0;

  constructor(options: FullLogEditorsOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.source.onDidChange((worker) => this.#markStale((subject) => includesWorker(subject, worker))),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.#visible.fire();
        this.#schedule();
      }),
      onDidHideDocument(options.documents.scheme, (uri) => this.#stale.delete(uri.toString())),
    ];
  }

  /** The logs that the user can see. */
  get visible(): readonly LogSubject[] {
    const { documents } = this.#options;
    const shown = vscode.window.visibleTextEditors.map(({ document }) => documents.pageAt(document.uri)?.subject);
    return shown.filter((subject) => subject !== undefined);
  }

  /** Refreshes the documents of a log, as after a change. */
  update(subject: LogSubject): void {
    this.#markStale((shown) => subjectKey(shown) === subjectKey(subject));
  }

  /** Writes all documents again, in a new format. */
  reformat(): void {
    this.#options.documents.onFormat();
    this.#markStale(() => true);
  }

  dispose(): void {
    this.#stopWaiting?.();
    this.#visible.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #markStale(isAffected: (subject: LogSubject) => boolean): void {
    const { documents } = this.#options;
    for (const { uri } of vscode.workspace.textDocuments) {
      const address = documents.pageAt(uri);
      if (address && isAffected(address.subject)) this.#stale.add(uri.toString());
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#stopWaiting || this.#refreshing || this.#staleEditors().length === 0) return;
    const { clock } = this.#options;
    const delay = Math.max(this.#refreshedAt + INTERVAL_MS - clock.now(), 0);
    this.#stopWaiting = callAfter(clock, delay, () => {
      this.#stopWaiting = undefined;
      void this.#refreshAll();
    });
  }

  #staleEditors(): vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter(({ document }) => this.#stale.has(document.uri.toString()));
  }

  async #refreshAll(): Promise<void> {
    const { clock, log } = this.#options;
    this.#refreshing = true;
    for (const editor of this.#staleEditors()) {
      this.#stale.delete(editor.document.uri.toString());
      try {
        await this.#refresh(editor);
      } catch (error) {
        log.error(`Could not refresh ${editor.document.uri.path}`, error);
      }
    }
    this.#refreshing = false;
    this.#refreshedAt = clock.now();
    this.#schedule();
  }

  async #refresh(editor: vscode.TextEditor): Promise<void> {
    const { documents, view } = this.#options;
    const { document, selection, viewColumn } = editor;
    const before = documents.contentOf(document.uri);
    if (!before) return;
    const { subject } = before.address;
    const follows = (before.page?.isNewest ?? false) && isAtEnd(editor);
    const [anchor, active] = [placeOf(before, selection.anchor), placeOf(before, selection.active)];
    using cursor = watchCursor(editor, view);
    const after = await documents.refresh(document.uri);
    if (cursor.isMoved()) return;
    const options = { viewColumn, preserveFocus: true, instead: document.uri };
    if (follows && !after.page?.isNewest) {
      await view.showNewest(subject, options);
      return;
    }
    await view.whenShown(document, after);
    if (cursor.isMoved()) return;
    if (follows) moveToEnd(editor);
    else if (active && after.pages !== before.pages) {
      const { log, entry, read } = active.line;
      const workerId = before.pages.logs[log]?.worker.workerId ?? '';
      await view.showLine(subject, { workerId, at: entry.at, text: read.text }, CURSOR, options);
    } else if (anchor && active) {
      const [from, to] = [positionIn(after, anchor), positionIn(after, active)];
      // The editor moves a selection that is in a changed part of the document.
      if (from && to && !editor.selection.isEqual(new vscode.Selection(from, to)))
        editor.selection = new vscode.Selection(from, to);
    }
  }
}

/** Watches whether the user or a command moves the cursor of an editor, in contrast to a change of the text. */
function watchCursor(editor: vscode.TextEditor, view: FullLogView): Disposable & { readonly isMoved: () => boolean } {
  const { placements } = view;
  let isMoved = false;
  const subscription = vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
    if (textEditor === editor && kind !== undefined) isMoved = true;
  });
  return {
    // The event of a command arrives later than its placement.
    isMoved: () => isMoved || view.placements !== placements,
    [Symbol.dispose]: () => void subscription.dispose(),
  };
}
