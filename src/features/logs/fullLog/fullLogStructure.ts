import * as vscode from 'vscode';
import { documentSymbol } from '../../../vscode/marks.ts';
import { withSafeErrors } from '../../../vscode/safeErrors.ts';
import { duration } from '../../../vscode/text/quantities.ts';
import { shown, type Showable } from '../../../vscode/text/shownText.ts';
import { LogClock } from '../model/logClock.ts';
import { shortRequestId } from '../model/readLogLine.ts';
import type { FullLogDocuments, LogDocument } from './fullLogDocuments.ts';
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
  created: 'Created',
  starting: 'Starting',
  containerStarting: 'Starting',
  pulling: 'Pulling the image',
  imageUnavailable: 'Image not available',
  started: 'Process started',
  stillStarting: 'Still starting',
  slowStart: 'Slow start',
  ready: 'Ready',
  notReady: 'Not ready',
  notStarted: 'Could not be started',
  notStartedBecause: 'Could not be started',
  engineUnreachable: 'Engine not reachable',
  engineReachable: 'Engine reachable again',
  waitingForSlot: 'Waiting for a free slot',
  waitingForPlace: 'Waiting for a machine',
  waitingForGpus: 'Waiting for GPUs',
  frozen: 'Frozen',
  resumed: 'Resumed',
  restarting: 'Restarting',
  stopping: 'Stopping',
  retired: 'Retired',
  ended: 'Ended',
  failed: 'Failed',
  failedSilently: 'Failed',
  unhealthy: 'Unhealthy',
  linesLost: 'Lines lost',
  linesDropped: 'Lines dropped',
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
    const { structure } = await this.#documents.content(uri);
    return foldsOf(structure()).map(({ first, last }) => new vscode.FoldingRange(first, last));
  }

  async provideDocumentSymbols(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
    const content = await this.#documents.content(document.uri);
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
