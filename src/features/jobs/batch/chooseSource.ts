import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';

/** Endings of the files whose rows a batch can have. */
const ENDINGS = ['jsonl', 'ndjson', 'csv', 'tsv'];
const MAX_LISTED = 200;

interface SourceItem extends ShownItem {
  readonly choose?: () => vscode.Uri | undefined | Promise<vscode.Uri | undefined>;
}

/**
 * Lets the user choose a file of the workspace, another file, or a folder. Files beside the active editor are first. The file of the active
 * editor is not asked for if the workspace has no other one.
 */
export async function chooseSource(): Promise<vscode.Uri | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const found = await vscode.workspace.findFiles(`**/*.{${ENDINGS.join(',')}}`, '**/node_modules/**', MAX_LISTED);
  const files = new Map([...(active ? [active] : []), ...found].filter(isSource).map((uri) => [uri.toString(), uri]));
  const isActive = (uri: vscode.Uri): boolean => uri.toString() === active?.toString();
  const ranked = byRank([...files.values()], active);
  const [only] = ranked;
  if (only && ranked.length === 1 && isActive(only)) return only;
  const items: readonly SourceItem[] = [
    ...ranked.map((uri) => ({
      label: shown`$(table) ${vscode.workspace.asRelativePath(uri)}`,
      ...(isActive(uri) && { description: l10n.t('active editor') }),
      choose: () => uri,
    })),
    ...(ranked.length > 0 ? [separator()] : []),
    {
      label: shown`$(folder-opened) Browse…`,
      description: l10n.t('JSON Lines or CSV, one job per row'),
      choose: () => browse(false),
    },
    {
      label: shown`$(folder) Browse Folders…`,
      description: l10n.t('One job per file'),
      choose: () => browse(true),
    },
  ];
  const options = { title: l10n.t('Run Batch'), placeholder: l10n.t('Source of the rows') };
  return (await pick(items, options))?.choose?.();
}

function isSource({ scheme, path: file }: vscode.Uri): boolean {
  // A batch writes its results beside its source. They are not rows.
  return scheme === 'file' && ENDINGS.some((ending) => file.endsWith(`.${ending}`)) && !/\.results\.\w+$/.test(file);
}

/** Sorts the active file first, then the files with its name before the first period, then those in its folder, then all by their path. */
function byRank(files: readonly vscode.Uri[], active: vscode.Uri | undefined): readonly vscode.Uri[] {
  const folder = active && path.posix.dirname(active.path);
  const rank = (uri: vscode.Uri): number => {
    if (!active) return 0;
    if (uri.toString() === active.toString()) return 0;
    const isBeside = path.posix.dirname(uri.path) === folder;
    if (isBeside && stemOf(uri) === stemOf(active)) return 1;
    return isBeside ? 2 : 3;
  };
  return files.toSorted((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
}

function stemOf({ path: file }: vscode.Uri): string {
  return path.posix.basename(file).replace(/\..*$/, '');
}

async function browse(isFolder: boolean): Promise<vscode.Uri | undefined> {
  const [chosen] =
    (await vscode.window.showOpenDialog({
      ...{ canSelectFiles: !isFolder, canSelectFolders: isFolder, openLabel: l10n.t('Run Batch') },
      ...(isFolder ? {} : { filters: { 'JSON Lines or CSV': ENDINGS } }),
    })) ?? [];
  return chosen;
}
