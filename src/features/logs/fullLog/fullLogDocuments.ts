import type * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../client/clock.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import type { LineColors } from '../colors/lineColors.ts';
import type { PageLine } from './actions/logPages.ts';
import type { LogDocument } from './logDocument.ts';
import type { FullLogStore } from './fullLogStore.ts';
import { pageAddresses, pageName, type PageAddress, type PageFields } from './model/pageAddress.ts';
import { structureOf, type PageStructure } from './model/pageStructure.ts';
import { missingPage, writePage, type LineFormat, type PageText, grouped } from './model/pageText.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens, type LensOptions } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';

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

interface Action {
  readonly command: CommandId;
  readonly title: LensOptions['title'];
  readonly tooltip: string;
}

const FIRST: Action = {
  command: 'cloudCompute.fullLog.oldestPage',
  title: shown`$(fold-up) First`,
  tooltip: l10n.t('Opens the page with the oldest lines'),
};
const OLDER: Action = {
  command: 'cloudCompute.fullLog.olderPage',
  title: shown`$(chevron-up) Older Page`,
  tooltip: l10n.t('Opens the page with the lines before this one'),
};
const NEWER: Action = {
  command: 'cloudCompute.fullLog.newerPage',
  title: shown`$(chevron-down) Newer Page`,
  tooltip: l10n.t('Opens the page with the lines after this one'),
};
const LAST: Action = {
  command: 'cloudCompute.fullLog.newestPage',
  title: shown`$(fold-down) Last`,
  tooltip: l10n.t('Opens the page with the newest lines, and follows new ones'),
};
const TOOLS: readonly Action[] = [
  {
    command: 'cloudCompute.fullLog.goToTime',
    title: shown`$(watch) Go to Time…`,
    tooltip: l10n.t('Opens the page with the lines of a time'),
  },
  {
    command: 'cloudCompute.fullLog.find',
    title: shown`$(search) Find…`,
    tooltip: l10n.t('Searches all pages of this log'),
  },
  {
    command: 'cloudCompute.fullLog.saveAs',
    title: shown`$(save-as) Save As…`,
    tooltip: l10n.t('Saves all pages of this log to a file'),
  },
];
const READ_EARLIER: Action = {
  command: 'cloudCompute.fullLog.readEarlierLines',
  title: shown`$(cloud-download) Read Earlier Lines`,
  tooltip: l10n.t('Reads the lines of the platform that are not on this machine yet'),
};

/** The editor shows a lens without a command as text. */
const NOTHING = '';

/** Returns the actions above and below the lines of a page. */
function fullLogLenses(content: LogDocument, { uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
  const moves = movesFrom(content);
  const isEmpty = content.page?.lines.length === 0;
  const tools = isEmpty ? [] : TOOLS;
  const earlier =
    content.pages.logs.every(({ isComplete }) => isComplete) && content.pages.logs.length > 0 ? [] : [READ_EARLIER];
  const lens =
    (row: number) =>
    ({ command, title, tooltip }: Action) =>
      codeLens(row, { command, title, tooltip, arguments: [uri] });
  const top = [...moves, ...tools, ...earlier].map(lens(0));
  // The last row is empty, so these lenses are below the last line.
  const bottom = isEmpty ? [] : [...moves, ...tools].map(lens(lineCount - 1));
  return [pageLens(content, 0), ...top, ...(isEmpty ? [] : [pageLens(content, lineCount - 1)]), ...bottom];
}

function movesFrom({ address, page }: LogDocument): readonly Action[] {
  const hasOlder = !page || address.page > 0 || address.part > 0;
  const hasNewer = !page?.isNewest;
  return [...(hasOlder ? [FIRST, OLDER] : []), ...(hasNewer ? [NEWER, LAST] : [])];
}

/** Names the page. The newest page also has the numbers of its lines, which its heading omits because they change. */
function pageLens({ address, page, pages }: LogDocument, row: number): vscode.CodeLens {
  const part = address.part === 0 ? '' : l10n.t`, part ${address.part + 1}`;
  const title = shown`Page ${grouped(address.page + 1)} of ${grouped(pages.pageCount)}${part}`;
  if (!page?.isNewest || page.lines.length === 0) {
    return codeLens(row, { title, tooltip: l10n.t('No lines are added to this page'), command: NOTHING });
  }
  const lines = l10n.t`${grouped(page.before + 1)}–${grouped(page.before + page.lines.length)} of ${grouped(page.total)}`;
  const tooltip = l10n.t('New lines are added to this page');
  return codeLens(row, { title: shown`${title} · lines ${lines}`, tooltip, command: NOTHING });
}
