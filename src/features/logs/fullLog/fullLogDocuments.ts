import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { DocumentFiles } from '../../../vscode/documentFiles.ts';
import type { LineColors } from '../colors/lineColors.ts';
import type { LogPages, PageLine, ReadPage } from './actions/logPages.ts';
import type { FullLogStore } from './fullLogStore.ts';
import { pageUri, parsePageQuery, type PageAddress } from './model/pageAddress.ts';
import { structureOf, type PageStructure } from './model/pageStructure.ts';
import { lineInRow, missingPage, writePage, type LineFormat, type PageText } from './model/pageText.ts';

/** The content of a document. */
export interface LogDocument {
  readonly address: PageAddress;
  /** The pages that the numbers of the lines refer to. */
  readonly pages: LogPages;
  /** Undefined if the page does not exist. */
  readonly page: ReadPage | undefined;
  readonly shown: PageText;
  /** Number of the format of its lines. */
  readonly edition: number;
  /** Jobs and events, for folding and the outline. */
  readonly structure: () => PageStructure;
  /** Time at which this content was first read, in ms since the epoch. */
  readonly mtime: number;
}

export interface FullLogDocumentsOptions {
  readonly scheme: string;
  readonly store: FullLogStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly format: () => LineFormat;
  /** Receives the colors of the lines. */
  readonly colors: Pick<LineColors, 'remember'>;
}

/** Maximum number of documents whose content is kept, apart from the open ones. */
const MAX_CLOSED = 4;

/**
 * Provides the pages of full logs as read-only files. Unlike the documents of a content provider, files are opened again after the window
 * was reloaded.
 */
export class FullLogDocuments extends DocumentFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #options: FullLogDocumentsOptions;
  readonly #loaded = new Map<string, LogDocument>();
  readonly #loading = new Map<string, Promise<LogDocument>>();
  #edition = 0;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #rendered = new vscode.EventEmitter<void>();
  /** Fires when a document was read, even if its text is the same. */
  readonly onDidRead = this.#rendered.event;

  constructor(options: FullLogDocumentsOptions) {
    super();
    this.#options = options;
  }

  get scheme(): string {
    return this.#options.scheme;
  }

  uriOf(address: PageAddress): vscode.Uri {
    return vscode.Uri.from({ scheme: this.scheme, ...pageUri(address) });
  }

  /** Returns the address of a document of a log, or undefined for any other document. */
  addressOf({ scheme, query }: vscode.Uri): PageAddress | undefined {
    return scheme === this.scheme ? parsePageQuery(query) : undefined;
  }

  /** Returns the content that was last read, or undefined. */
  known(uri: vscode.Uri): LogDocument | undefined {
    return this.#loaded.get(uri.toString());
  }

  /** Returns the content, which is read if it is not known. @throws FileSystemError, LogRenumbered, or the error of a read */
  async content(uri: vscode.Uri): Promise<LogDocument> {
    return this.known(uri) ?? this.refresh(uri);
  }

  /** Reads the document again, unless it cannot have changed. */
  refresh(uri: vscode.Uri): Promise<LogDocument> {
    const key = uri.toString();
    const loading =
      this.#loading.get(key) ??
      this.#load(uri).finally(() => {
        this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }

  /** Discards the content of a document that is not shown, so that it is read when it is shown again. */
  forget(uri: vscode.Uri): void {
    this.#loaded.delete(uri.toString());
  }

  /** Makes later refreshes write all text again, because the format of lines has changed. */
  onFormat(): void {
    this.#edition++;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { shown, mtime } = await this.content(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(shown.text), permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.content(uri)).shown.text);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changed.dispose();
    this.#rendered.dispose();
  }

  async #load(uri: vscode.Uri): Promise<LogDocument> {
    const address = this.addressOf(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const before = this.known(uri);
    const edition = this.#edition;
    const document = await this.#options.store.use(address.subject, async (pages) => {
      const isSame = before?.page && !before.page.isNewest && before.pages === pages;
      if (isSame && before.edition === edition) return before;
      return this.#write(address, { pages, page: isSame ? before.page : await pages.read(address), edition }, before);
    });
    this.#keep(uri, document);
    if (before && document.mtime !== before.mtime) {
      this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
    this.#rendered.fire();
    return document;
  }

  #write(
    address: PageAddress,
    { pages, page, edition }: Pick<LogDocument, 'pages' | 'page' | 'edition'>,
    before: LogDocument | undefined,
  ): LogDocument {
    const { clock, colors, format } = this.#options;
    const context = { ...format(), subject: address.subject, logs: pages.logs };
    const shown = page
      ? writePage(page, context, ({ text, spans }) => colors.remember(text, spans))
      : missingPage(address, pages.pageCount);
    const isChanged = before?.shown.text !== shown.text;
    // The editor reloads a file only if its modification time has changed.
    const mtime = before && !isChanged ? before.mtime : Math.max(clock.now(), (before?.mtime ?? 0) + 1);
    let structure: PageStructure | undefined;
    return {
      address,
      pages,
      page,
      edition,
      shown,
      structure: () => (structure ??= structureOf(placedLines(page?.lines ?? [], shown), pages.logs.length === 1)),
      mtime,
    };
  }

  #keep(uri: vscode.Uri, document: LogDocument): void {
    const key = uri.toString();
    this.#loaded.delete(key);
    this.#loaded.set(key, document);
    const open = new Set(vscode.workspace.textDocuments.map((one) => one.uri.toString()));
    const closed = [...this.#loaded.keys()].filter((one) => !open.has(one));
    for (const oldest of closed.slice(0, -MAX_CLOSED)) this.#loaded.delete(oldest);
  }
}

/** A position in the text of a line. */
export interface TextPlace {
  /** The line, or the nearest one. */
  readonly line: PageLine;
  /** Number of rows after the first row of the line. Negative for a heading before the line. */
  readonly rows: number;
  readonly column: number;
}

/** Returns the place of a position, or undefined in a document without lines. */
export function placeOf(
  { page, shown }: LogDocument,
  { line: row, character }: vscode.Position,
): TextPlace | undefined {
  const index = lineInRow(shown, row) ?? -1;
  const [line, place] = [page?.lines[index], shown.places[index]];
  return line && place && { line, rows: row - place.row, column: character };
}

/** Returns the position of a place, or undefined if the document does not contain its line. */
export function positionIn(
  { page, shown }: LogDocument,
  { line, rows, column }: TextPlace,
): vscode.Position | undefined {
  const index = page?.lines.findIndex((one) => one.log === line.log && one.line === line.line) ?? -1;
  const place = shown.places[index];
  return place && new vscode.Position(Math.max(place.row + rows, 0), column);
}

function placedLines(lines: readonly PageLine[], { places, rows }: PageText) {
  return lines.map(({ log, entry, read }, index) => {
    const row = places[index]?.row ?? 0;
    // The row before the next line can be a date.
    const lastRow = Math.min(row + breaksIn(read.text), rows - 1);
    return { log, at: entry.at, read, row, lastRow };
  });
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}
