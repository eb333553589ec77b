import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { locateLine, type KnownLine } from './actions/locateLine.ts';
import type { LinePlace, LogPages } from './actions/logPages.ts';
import type { FullLogDocuments } from './fullLogDocuments.ts';
import type { LogDocument } from './logDocument.ts';
import type { FullLogStore } from './fullLogStore.ts';
import type { LogSubject } from '../model/logSubject.ts';
import type { PageAddress } from './model/pageAddress.ts';
import { positionOf } from './model/pageText.ts';
import type { Span } from '../../../text/span.ts';

/** The editor group of a page, and the tab that the page replaces. */
export interface ShowOptions {
  readonly viewColumn?: vscode.ViewColumn | undefined;
  readonly preserveFocus?: boolean;
  /** Document that the page replaces. */
  readonly instead?: vscode.Uri | undefined;
}

/** Maximum time until the editor shows new content, in ms. */
const MAX_WAIT_MS = 5_000;

/** Shows pages of full logs in editors. */
export class FullLogView {
  readonly #documents: FullLogDocuments;
  readonly #store: FullLogStore;
  readonly #clock: Clock;
  #placements = 0;

  constructor(documents: FullLogDocuments, store: FullLogStore, clock: Clock) {
    this.#documents = documents;
    this.#store = store;
    this.#clock = clock;
  }

  /** Number of times that a command placed the cursor. */
  get placements(): number {
    return this.#placements;
  }

  /** Shows the newest page with the cursor at its end. */
  async showNewest(subject: LogSubject, options: ShowOptions = {}): Promise<void> {
    const id = await this.#store.use(subject, (pages) => pages.newest());
    await this.showPage({ subject, ...id }, 'end', options);
  }

  /** Shows a page with the cursor at its start or its end. */
  async showPage(address: PageAddress, place: 'start' | 'end', options: ShowOptions = {}): Promise<void> {
    const { editor } = await this.#open(address, options);
    this.#placements++;
    if (place === 'end') moveToEnd(editor);
    else select(editor, new vscode.Selection(0, 0, 0, 0), vscode.TextEditorRevealType.AtTop);
  }

  /** Shows the page with the first line at or after a time, and selects the line. Shows the end of the log if all lines are earlier. */
  showTime(subject: LogSubject, at: number, options: ShowOptions = {}): Promise<void> {
    return this.#showPlace(subject, (pages) => pages.lineOfTime(at), undefined, options);
  }

  /**
   * Shows the page with a line, and selects the line or a part of its text. If the line no longer exists, selects the line that follows it
   * in time, or the end of the log.
   */
  showLine(subject: LogSubject, line: KnownLine, span?: Span, options: ShowOptions = {}): Promise<void> {
    return this.#showPlace(subject, (pages) => locateLine(pages, line), span, options);
  }

  async #showPlace(
    subject: LogSubject,
    locate: (pages: LogPages) => Promise<LinePlace | undefined>,
    span: Span | undefined,
    options: ShowOptions,
  ): Promise<void> {
    const found = await this.#store.use(subject, async (pages) => {
      const place = await locate(pages);
      return place && { place, id: await pages.pageOfLine(place) };
    });
    if (!found) {
      await this.showNewest(subject, options);
      return;
    }
    const { editor, content } = await this.#open({ subject, ...found.id }, options);
    const { log, line: number } = found.place;
    const index = content.page?.lines.findIndex((one) => one.log === log && one.line === number) ?? -1;
    const [shown, place] = [content.page?.lines[index], content.shown.places[index]];
    if (!shown || !place) return;
    const { start, end } = span ?? { start: 0, end: shown.read.text.length };
    const position = (offset: number) => new vscode.Position(...positionOf(place, shown.read, offset));
    const selection = new vscode.Selection(position(start), position(end));
    this.#placements++;
    select(editor, selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Resolves once an editor's document has the content that was last read. */
  async whenShown(document: vscode.TextDocument, { shown }: LogDocument): Promise<void> {
    const isShown = () => document.isClosed || document.getText() === shown.text;
    if (isShown()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const subscription = vscode.workspace.onDidChangeTextDocument(({ document: changed }) => {
      if (changed === document && isShown()) resolve();
    });
    const timeout = new AbortController();
    try {
      await Promise.race([promise, this.#clock.sleep(MAX_WAIT_MS, timeout.signal).catch(() => undefined)]);
    } finally {
      subscription.dispose();
      timeout.abort();
    }
  }

  async #open(
    address: PageAddress,
    options: ShowOptions,
  ): Promise<{ editor: vscode.TextEditor; content: LogDocument }> {
    const uri = this.#documents.pageUri(address);
    const content = await this.#documents.refresh(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const { viewColumn, preserveFocus = false } = options;
    const replaced = tabToClose(options, uri);
    const editor = await vscode.window.showTextDocument(document, {
      preview: true,
      preserveFocus,
      ...(viewColumn !== undefined && { viewColumn }),
    });
    if (replaced) await vscode.window.tabGroups.close(replaced, true);
    await this.whenShown(document, content);
    return { editor, content };
  }
}

/**
 * Returns the tab that the editor does not replace by itself, because the user turned off previews. The pages would otherwise fill the
 * editor with tabs.
 */
function tabToClose({ instead, viewColumn }: ShowOptions, next: vscode.Uri): vscode.Tab | undefined {
  const hasPreviews = vscode.workspace.getConfiguration('workbench.editor').get('enablePreview') !== false;
  if (hasPreviews || !instead || instead.toString() === next.toString()) return undefined;
  const isReplaced = ({ input, isPinned }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.toString() === instead.toString() && !isPinned;
  return vscode.window.tabGroups.all.find((group) => group.viewColumn === viewColumn)?.tabs.find(isReplaced);
}

/** Moves the cursor to the end of the document, where new lines appear. */
export function moveToEnd(editor: vscode.TextEditor): void {
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  select(editor, new vscode.Selection(end, end), vscode.TextEditorRevealType.Default);
}

/** Returns whether the cursor is at the end of the document. */
export function isAtEnd({ document, selection }: vscode.TextEditor): boolean {
  return selection.isEmpty && selection.active.line >= document.lineCount - 1;
}

function select(editor: vscode.TextEditor, selection: vscode.Selection, reveal: vscode.TextEditorRevealType): void {
  editor.selection = selection;
  editor.revealRange(selection, reveal);
}
