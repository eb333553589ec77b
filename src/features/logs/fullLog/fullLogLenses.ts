import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { codeLens, type LensOptions } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';
import type { LogDocument } from './logDocument.ts';
import { grouped } from './model/pageText.ts';

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
export function fullLogLenses(content: LogDocument, { uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
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
