import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentSymbol } from '../../../kit/marks.ts';
import { withSafeErrors } from '../../../kit/safeErrors.ts';
import { duration } from '../../../text/quantities.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import { LogClock } from '../model/logClock.ts';
import { shortRequestId } from '../../../text/ids.ts';
import type { FullLogDocuments } from './fullLogDocuments.ts';
import type { LogDocument } from './logDocument.ts';
import {
  foldsOf,
  isInOutline,
  type JobRun,
  type LifeEvent,
  type LifeEventKind,
  type WorkerStart,
} from './model/pageStructure.ts';
import { tagsOf, type LineFormat } from './model/pageText.ts';

/** Maximum number of entries in the outline. */
const MAX_SYMBOLS = 5_000;

/** Names of events in the outline. */
const EVENT_NAMES: Readonly<Record<LifeEventKind, string>> = {
  created: l10n.t('Created'),
  starting: l10n.t('Starting'),
  containerStarting: l10n.t('Starting'),
  pulling: l10n.t('Pulling the image'),
  imageUnavailable: l10n.t('Image not available'),
  started: l10n.t('Process started'),
  stillStarting: l10n.t('Still starting'),
  slowStart: l10n.t('Slow start'),
  ready: l10n.t('Ready'),
  notReady: l10n.t('Not ready'),
  notStarted: l10n.t('Could not be started'),
  notStartedBecause: l10n.t('Could not be started'),
  engineUnreachable: l10n.t('Engine not reachable'),
  engineReachable: l10n.t('Engine reachable again'),
  waitingForSlot: l10n.t('Waiting for a free slot'),
  waitingForPlace: l10n.t('Waiting for a machine'),
  waitingForGpus: l10n.t('Waiting for GPUs'),
  frozen: l10n.t('Frozen'),
  resumed: l10n.t('Resumed'),
  restarting: l10n.t('Restarting'),
  stopping: l10n.t('Stopping'),
  retired: l10n.t('Retired'),
  ended: l10n.t('Ended'),
  failed: l10n.t('Failed'),
  failedSilently: l10n.t('Failed'),
  unhealthy: l10n.t('Unhealthy'),
  linesLost: l10n.t('Lines lost'),
  linesDropped: l10n.t('Lines dropped'),
};

/** Provides the folding and the outline of the pages of a log. */
export class FullLogStructure implements vscode.FoldingRangeProvider, vscode.DocumentSymbolProvider {
  readonly #documents: FullLogDocuments;
  readonly #format: () => LineFormat;

  constructor(documents: FullLogDocuments, format: () => LineFormat) {
    this.#documents = documents;
    this.#format = format;
  }

  async provideFoldingRanges({ uri }: vscode.TextDocument): Promise<vscode.FoldingRange[]> {
    const { structure } = await this.#documents.load(uri);
    return foldsOf(structure()).map(({ first, last }) => new vscode.FoldingRange(first, last));
  }

  async provideDocumentSymbols(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
    const content = await this.#documents.load(document.uri);
    const symbols = new Symbols(document, content, this.#format());
    return symbols.ofAll(content.structure().items);
  }
}

export function registerStructure(structure: FullLogStructure, scheme: string): vscode.Disposable {
  const safe = withSafeErrors(structure);
  return vscode.Disposable.from(
    vscode.languages.registerFoldingRangeProvider({ scheme }, safe),
    vscode.languages.registerDocumentSymbolProvider({ scheme }, safe),
  );
}

/** Creates the entries of the outline of one document. */
class Symbols {
  readonly #document: vscode.TextDocument;
  readonly #clock: LogClock;
  readonly #tags: ReturnType<typeof tagsOf>;

  constructor(document: vscode.TextDocument, { pages }: LogDocument, { timestamps, timeZone }: LineFormat) {
    this.#document = document;
    this.#clock = new LogClock(timestamps === 'utc' ? 'UTC' : timeZone);
    this.#tags = tagsOf(pages.logs);
  }

  ofAll(items: readonly (WorkerStart | JobRun | LifeEvent)[]): vscode.DocumentSymbol[] {
    return items
      .filter(isInOutline)
      .slice(0, MAX_SYMBOLS)
      .map((item) => this.#of(item));
  }

  #of(item: WorkerStart | JobRun | LifeEvent): vscode.DocumentSymbol {
    const time = this.#clock.read(item.at)?.time.slice(0, 8) ?? '';
    const children = item.kind === 'start' ? this.ofAll(item.items) : [];
    const start = this.#lineRange(item.first);
    return documentSymbol({
      ...this.#words(item, time),
      range: start.union(this.#lineRange(item.last)),
      selectionRange: start,
      deprecated: false,
      children,
    });
  }

  #words(
    item: WorkerStart | JobRun | LifeEvent,
    time: string,
  ): { name: Showable; detail: Showable; kind: vscode.SymbolKind } {
    if (item.kind === 'start') {
      return { name: shown`Start ${item.number}`, detail: time, kind: vscode.SymbolKind.Module };
    }
    const tag = this.#tags[item.log]?.text;
    const worker = tag === undefined ? shown`` : shown` · ${tag}`;
    if (item.kind === 'event') {
      return { name: EVENT_NAMES[item.event], detail: shown`${time}${worker}`, kind: vscode.SymbolKind.Event };
    }
    const ms = item.endAt - item.at;
    const took = ms < 1000 ? shown`` : shown` · ${duration(ms / 1000)}`;
    const name = shown`Job ${shortRequestId(item.requestId)}`;
    return { name, detail: shown`${time}${took}${worker}`, kind: vscode.SymbolKind.Function };
  }

  /** Returns the range of a row. The document can be older than the content. */
  #lineRange(row: number): vscode.Range {
    return this.#document.lineAt(Math.min(row, this.#document.lineCount - 1)).range;
  }
}
