import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { CommandTable } from '../../../kit/commands.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { UserError } from '../../../kit/userError.ts';
import type { LogPages } from './actions/logPages.ts';
import type { FullLogParts } from './fullLogParts.ts';
import type { PageAddress, PageId } from './model/pageAddress.ts';
import type { ShowOptions } from './fullLogView.ts';

/** The page that a command is about. */
interface Target {
  readonly address: PageAddress;
  readonly options: ShowOptions;
}

const MESSAGE_MS = 5_000;

/** Returns the commands for the pages of a log. */
export function fullLogCommands(clock: Clock, load: () => Promise<FullLogParts>): CommandTable {
  /** The page of a document, or the one in the active editor. */
  const aPage =
    (run: (target: Target, parts: FullLogParts) => Promise<void>) =>
    async (argument: unknown): Promise<void> => {
      const parts = await load();
      await run(targetOf(parts, argument), parts);
    };
  const move = (
    place: 'start' | 'end',
    none: string,
    next: (pages: LogPages, id: PageId) => Promise<PageId | undefined>,
  ) =>
    aPage(async ({ address, options }, { store, view }) => {
      const { subject } = address;
      const id = await store.use(subject, (pages) => next(pages, address));
      if (id) await view.showPage({ subject, ...id }, place, options);
      else showStatusBarMessage(none, MESSAGE_MS);
    });
  return {
    'cloudCompute.fullLog.oldestPage': {
      failure: l10n.t('Could not show the page'),
      run: move('start', '', () => Promise.resolve({ page: 0, part: 0 })),
    },
    'cloudCompute.fullLog.olderPage': {
      failure: l10n.t('Could not show the page'),
      // The cursor is at the lines that precede those of this page.
      run: move('end', l10n.t('This is the oldest page'), (pages, id) => pages.olderThan(id)),
    },
    'cloudCompute.fullLog.newerPage': {
      failure: l10n.t('Could not show the page'),
      run: move('start', l10n.t('This is the newest page'), (pages, id) => pages.newerThan(id)),
    },
    'cloudCompute.fullLog.newestPage': {
      failure: l10n.t('Could not show the page'),
      run: aPage(({ address, options }, { view }) => view.showNewest(address.subject, options)),
    },
    'cloudCompute.fullLog.goToTime': {
      failure: l10n.t('Could not go to the time'),
      run: aPage(async ({ address: { subject }, options }, { store, view, format }) => {
        const { askForTime } = await import('./goToTime.ts');
        const { timeSpanOf } = await import('./actions/locateLine.ts');
        const at = await askForTime(await store.use(subject, timeSpanOf), clock, format());
        if (at !== undefined) await view.showTime(subject, at, options);
      }),
    },
    'cloudCompute.fullLog.find': {
      failure: l10n.t('Could not search the log'),
      run: aPage(({ address: { subject }, options }, { search }) => search.findSelected(subject, options)),
    },
    'cloudCompute.fullLog.findNext': {
      failure: l10n.t('Could not show the line'),
      run: aPage(({ address: { subject }, options }, { search }) => search.step(subject, 1, options)),
    },
    'cloudCompute.fullLog.findPrevious': {
      failure: l10n.t('Could not show the line'),
      run: aPage(({ address: { subject }, options }, { search }) => search.step(subject, -1, options)),
    },
    'cloudCompute.fullLog.saveAs': {
      failure: l10n.t('Could not save the log'),
      run: aPage(async ({ address: { subject } }, { store, format }) =>
        (await import('./saveFullLog.ts')).saveFullLog(store, subject, format()),
      ),
    },
    'cloudCompute.fullLog.readEarlierLines': {
      failure: l10n.t('Could not read the earlier lines of the log'),
      run: aPage(({ address: { subject } }, { readEarlierLines }) => readEarlierLines(subject)),
    },
  };
}

/** Returns the page of the argument of a command, or of the active editor. @throws UserError if there is none */
function targetOf({ documents }: Pick<FullLogParts, 'documents'>, argument: unknown): Target {
  const active = vscode.window.activeTextEditor;
  const uri = argument instanceof vscode.Uri ? argument : active?.document.uri;
  const address = uri && documents.pageAt(uri);
  if (!address) throw new UserError(l10n.t('no log is open in the editor'));
  const isShown = (editor: vscode.TextEditor | undefined) => editor?.document.uri.toString() === uri.toString();
  const editor = isShown(active) ? active : vscode.window.visibleTextEditors.find(isShown);
  return { address, options: { viewColumn: editor?.viewColumn, instead: uri } };
}
