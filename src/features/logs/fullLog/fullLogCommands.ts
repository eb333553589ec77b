import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { UserError } from '../../../kit/userError.ts';
import type { LogPages } from './actions/logPages.ts';
import { selectedText } from './fullLogSearch.ts';
import type { FullLogParts, FullLogServices } from './fullLogParts.ts';
import { timeSpanOf } from './actions/timeSpanOf.ts';
import { askForTime } from './goToTime.ts';
import type { PageAddress, PageId } from './model/pageAddress.ts';
import { saveFullLog } from './saveFullLog.ts';
import type { ShowOptions } from './fullLogView.ts';

/** The page that a command is about. */
interface Target {
  readonly address: PageAddress;
  readonly options: ShowOptions;
}

type Handler = (target: Target) => Promise<void>;

const MESSAGE_MS = 5_000;

/** Registers the commands for the pages of a log. */
export function registerFullLogCommands(
  { clock, log }: Pick<FullLogServices, 'clock' | 'log'>,
  parts: FullLogParts,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...fullLogCommands(clock, parts).map(({ id, attempt, run }) =>
      registerCommand(log, id, attempt, (argument) => run(targetOf(parts, argument))),
    ),
  );
}

/** Returns the commands with their handlers. */
export function fullLogCommands(
  clock: FullLogServices['clock'],
  { view, store, search, readEarlierLines, format }: FullLogParts,
): readonly { readonly id: CommandId; readonly attempt: string; readonly run: Handler }[] {
  const move =
    (
      place: 'start' | 'end',
      none: string,
      next: (pages: LogPages, id: PageId) => Promise<PageId | undefined>,
    ): Handler =>
    async ({ address, options }) => {
      const { subject } = address;
      const id = await store.use(subject, (pages) => next(pages, address));
      if (id) await view.showPage({ subject, ...id }, place, options);
      else showStatusBarMessage(none, MESSAGE_MS);
    };
  const attempt = l10n.t('Could not show the page');
  return [
    {
      id: 'cloudCompute.fullLog.oldestPage',
      attempt,
      run: move('start', '', () => Promise.resolve({ page: 0, part: 0 })),
    },
    {
      id: 'cloudCompute.fullLog.olderPage',
      attempt,
      // The cursor is at the lines that precede those of this page.
      run: move('end', l10n.t('This is the oldest page'), (pages, id) => pages.olderThan(id)),
    },
    {
      id: 'cloudCompute.fullLog.newerPage',
      attempt,
      run: move('start', l10n.t('This is the newest page'), (pages, id) => pages.newerThan(id)),
    },
    {
      id: 'cloudCompute.fullLog.newestPage',
      attempt,
      run: ({ address, options }) => view.showNewest(address.subject, options),
    },
    {
      id: 'cloudCompute.fullLog.goToTime',
      attempt: l10n.t('Could not go to the time'),
      run: async ({ address: { subject }, options }) => {
        const span = await store.use(subject, timeSpanOf);
        const at = await askForTime(span, clock, format());
        if (at !== undefined) await view.showTime(subject, at, options);
      },
    },
    {
      id: 'cloudCompute.fullLog.find',
      attempt: l10n.t('Could not search the log'),
      run: ({ address: { subject }, options }) =>
        search.find(subject, selectedText(vscode.window.activeTextEditor), options),
    },
    {
      id: 'cloudCompute.fullLog.findNext',
      attempt: l10n.t('Could not show the line'),
      run: ({ address: { subject }, options }) => search.step(subject, 1, options),
    },
    {
      id: 'cloudCompute.fullLog.findPrevious',
      attempt: l10n.t('Could not show the line'),
      run: ({ address: { subject }, options }) => search.step(subject, -1, options),
    },
    {
      id: 'cloudCompute.fullLog.saveAs',
      attempt: l10n.t('Could not save the log'),
      run: ({ address: { subject } }) => saveFullLog(store, subject, format()),
    },
    {
      id: 'cloudCompute.fullLog.readEarlierLines',
      attempt: l10n.t('Could not read the earlier lines of the log'),
      run: ({ address: { subject } }) => readEarlierLines(subject),
    },
  ];
}

/** Returns the page of the argument of a command, or of the active editor. @throws UserError if there is none */
export function targetOf({ documents }: Pick<FullLogParts, 'documents'>, argument: unknown): Target {
  const active = vscode.window.activeTextEditor;
  const uri = argument instanceof vscode.Uri ? argument : active?.document.uri;
  const address = uri && documents.pageAt(uri);
  if (!address) throw new UserError(l10n.t('no log is open in the editor'));
  const isShown = (editor: vscode.TextEditor | undefined) => editor?.document.uri.toString() === uri.toString();
  const editor = isShown(active) ? active : vscode.window.visibleTextEditors.find(isShown);
  return { address, options: { viewColumn: editor?.viewColumn, instead: uri } };
}
