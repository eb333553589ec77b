import type * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { LineColors } from '../colors/lineColors.ts';
import type { PageLine } from './actions/logPages.ts';
import { fullLogLenses } from './fullLogLenses.ts';
import type { LogDocument } from './logDocument.ts';
import type { FullLogStore } from './fullLogStore.ts';
import { pageAddresses, pageName, type PageAddress, type PageFields } from './model/pageAddress.ts';
import { structureOf, type PageStructure } from './model/pageStructure.ts';
import { missingPage, writePage, type LineFormat, type PageText } from './model/pageText.ts';

export interface FullLogDocumentsOptions {
  /** Shell of the documents. */
  readonly pages: DocumentShell;
  readonly store: FullLogStore;
  readonly clock: Clock;
  readonly format: () => LineFormat;
  /** Receives the colors of the lines. */
  readonly colors: Pick<LineColors, 'remember'>;
}

/** Provides the pages of full logs as read-only files. */
export class FullLogDocuments extends Documents<PageFields, LogDocument> {
  readonly #pageOptions: FullLogDocumentsOptions;
  #edition = 0;

  constructor(options: FullLogDocumentsOptions) {
    super({
      addresses: pageAddresses(options.pages.scheme),
      shell: options.pages,
      clock: options.clock,
      read: (fields, uri) => this.#readPage(pageOf(fields), this.contentOf(uri)),
      lenses: fullLogLenses,
    });
    this.#pageOptions = options;
  }

  pageUri(address: PageAddress): vscode.Uri {
    const { subject, page, part } = address;
    return this.uriOf({ ...subject, page, part }, pageName(address));
  }

  /** Returns the page of a document of a log, or undefined for any other document. */
  pageAt(uri: vscode.Uri): PageAddress | undefined {
    const fields = this.addressOf(uri);
    return fields && pageOf(fields);
  }

  /** Makes later refreshes write all text again, because the format of lines has changed. */
  onFormat(): void {
    this.#edition++;
  }

  /** Reads a page again, unless it cannot have changed. @throws LogRenumbered, or the error of a read */
  #readPage(address: PageAddress, before: LogDocument | undefined): Promise<LogDocument> {
    const edition = this.#edition;
    return this.#pageOptions.store.use(address.subject, async (pages) => {
      const isSame = before?.page && !before.page.isNewest && before.pages === pages;
      if (isSame && before.edition === edition) return before;
      return this.#write(address, { pages, page: isSame ? before.page : await pages.read(address), edition });
    });
  }

  #write(address: PageAddress, { pages, page, edition }: Pick<LogDocument, 'pages' | 'page' | 'edition'>): LogDocument {
    const { colors, format } = this.#pageOptions;
    const context = { ...format(), subject: address.subject, logs: pages.logs };
    const shown = page
      ? writePage(page, context, ({ text, spans }) => colors.remember(text, spans))
      : missingPage(address, pages.pageCount);
    let structure: PageStructure | undefined;
    return {
      address,
      pages,
      page,
      edition,
      text: shown.text,
      shown,
      structure: () => (structure ??= structureOf(placedLines(page?.lines ?? [], shown), pages.logs.length === 1)),
    };
  }
}

function pageOf({ page, part, ...subject }: PageFields): PageAddress {
  return { subject, page, part };
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
