import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import { showError } from '../../../kit/errors.ts';
import type { Log } from '../../../kit/log.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import type { LineColors } from '../colors/lineColors.ts';
import { EarlierLinesReader } from './earlierLines.ts';
import { FullLogDocuments } from './fullLogDocuments.ts';
import { FullLogEditors } from './fullLogEditors.ts';
import { FullLogSearch } from './fullLogSearch.ts';
import type { FullLogSource } from './fullLogSource.ts';
import { FullLogStore } from './fullLogStore.ts';
import { FullLogStructure, registerStructure } from './fullLogStructure.ts';
import { FullLogView } from './fullLogView.ts';
import type { LogSubject } from '../model/logSubject.ts';
import type { LineFormat } from './model/pageText.ts';
import { untilReached } from './untilReached.ts';

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
