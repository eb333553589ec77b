import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { showError } from '../../../kit/errors.ts';
import type { Log } from '../../../kit/log.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import type { LineColors } from '../colors/lineColors.ts';
import { FullLogDocuments } from './fullLogDocuments.ts';
import { FullLogEditors } from './fullLogEditors.ts';
import { FullLogSearch } from './fullLogSearch.ts';
import { FullLogStore, type FullLogSource } from './fullLogStore.ts';
import { FullLogStructure, registerStructure } from './fullLogStructure.ts';
import { FullLogView } from './fullLogView.ts';
import { subjectKey, workerWords, includesWorker, type LogSubject } from '../model/logSubject.ts';
import type { LineFormat } from './model/pageText.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';

export interface FullLogServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly source: FullLogSource;
  /** Shell of the documents. */
  readonly pages: DocumentShell;
  /** Receives the colors of the lines. */
  readonly colors: Pick<LineColors, 'remember'>;
  readonly format: {
    readonly current: () => LineFormat;
    readonly onDidChange: (listener: () => unknown) => Subscription;
  };
}

/** The parts of the feature. */
export type FullLogParts = ReturnType<typeof createFullLog>;

/** Creates the documents of full logs. */
export function createFullLog(services: FullLogServices) {
  const { clock, colors, log, pages, source } = services;
  const { scheme } = pages;
  const format = () => services.format.current();
  const store = new FullLogStore(source);
  const documents = new FullLogDocuments({ pages, store, clock, format, colors });
  const view = new FullLogView(documents, store, clock);
  const editors = new FullLogEditors({ source, documents, view, clock, log });
  const search = new FullLogSearch({ store, view, clock, format });
  const earlier = new EarlierLinesReader(source, clock);
  const readEarlierLines = async (subject: LogSubject): Promise<void> => {
    await earlier.read(subject);
    store.reorder(subject);
    editors.update(subject);
  };
  const open = async (subject: LogSubject, at?: number): Promise<void> => {
    store.reorder(subject);
    await view.showNewest(subject);
    if (at !== undefined) {
      await readEarlierLines(subject);
      await untilReached({ clock, source, store }, subject, at);
      await view.showTime(subject, at);
      return;
    }
    void readEarlierLines(subject).catch((error: unknown) =>
      showError(log, error, l10n.t('Could not read the earlier lines of the log')),
    );
  };
  const disposable = vscode.Disposable.from(
    documents.register(),
    registerStructure(new FullLogStructure(documents, format), scheme),
    services.format.onDidChange(() => editors.reformat()),
    editors,
  );
  return { documents, store, view, editors, search, readEarlierLines, open, format, disposable };
}

/** Reads the lines that are not stored yet, once at a time for each log. */
class EarlierLinesReader {
  readonly #source: Pick<FullLogSource, 'complete'>;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<void>>();

  constructor(source: Pick<FullLogSource, 'complete'>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Reads the lines with progress that the user can cancel. Joins a read that is already running. @throws the error of the source */
  read(subject: LogSubject): Promise<void> {
    const key = subjectKey(subject);
    const running = this.#running.get(key) ?? this.#start(subject).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  #start(subject: LogSubject): Promise<void> {
    const title = shown`Reading earlier lines of ${subject.endpointName} / ${workerWords(subject)}…`;
    return withLateProgress(this.#clock, title, async (signal, report) => {
      try {
        await this.#source.complete(subject, signal, report);
      } catch (error) {
        // The lines that were read until then are stored, and the rest can be read later.
        if (!signal.aborted) throw error;
      }
    });
  }
}

/** Maximum time in ms. The log of an ended worker can end before the wanted time. */
const MAX_WAIT_MS = 3_000;

interface Sources {
  readonly clock: Clock;
  readonly source: Pick<FullLogSource, 'onDidChange'>;
  readonly store: Pick<FullLogStore, 'use'>;
}

/**
 * Resolves once the stored log has a line at or after a time, or after a time limit. The stream of a visible log brings the lines.
 *
 * @param at in ms since the epoch
 */
async function untilReached({ clock, source, store }: Sources, subject: LogSubject, at: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    store.use(subject, (pages) => pages.lineOfTime(at)).then((line) => line && resolve(), reject);
  };
  const subscription = source.onDidChange((worker) => {
    if (includesWorker(subject, worker)) look();
  });
  const cancel = callAfter(clock, MAX_WAIT_MS, resolve);
  try {
    look();
    await promise;
  } finally {
    cancel();
    subscription.dispose();
  }
}
