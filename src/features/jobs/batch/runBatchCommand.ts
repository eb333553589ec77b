import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { askForText, pick, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { requireTrust } from '../../../account/consent/workspaceTrust.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import { chooseEndpoint } from '../chooseEndpoint.ts';
import { discardPrepared, prepareBatch, startBatch, type PreparedBatch } from './actions/prepareBatch.ts';
import { findSource, type Source } from './actions/readSource.ts';
import { runInBackground, type BatchServices } from './batchRuns.ts';
import { brokenText, whole, sourceErrorText } from './batchWords.ts';
import { SourceError } from './model/sourceRow.ts';

const DEFAULT_MEMBER = 'image';

/** @param argument a file or folder, a node of the endpoints view, or nothing */
export async function runBatchCommand(services: BatchServices, argument: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  services.liveValues.request();
  const uri = argument instanceof vscode.Uri ? argument : await chooseSource();
  if (!uri) return;
  const name = path.basename(uri.fsPath);
  requireTrust({ source: 'workspaceFile', process: undefined, deed: shown`running a batch from ${name}` });
  const source = await sourceOf(uri);
  const row = argument instanceof vscode.Uri ? undefined : argument;
  const snapshot = await chooseEndpoint(services, row, undefined, {
    title: l10n.t('Run Batch'),
    placeholder: l10n.t('Endpoint to run the jobs on'),
  });
  if (!snapshot) return;
  const member = source.hasMedia ? await askForMember() : DEFAULT_MEMBER;
  if (member === undefined) return;
  const prepared = await prepare(services, source, member);
  let isStarted = false;
  try {
    if (!(await maySkip(services, name, prepared))) return;
    if (prepared.rows === 0) throw new UserError(shown`“${name}” has no rows that can be sent`);
    const { endpoint } = snapshot;
    const pricePerHour = workerPrice(endpoint, services.liveValues.current);
    const requests = { endpointName: endpoint.name, count: prepared.rows, price: pricePerHour };
    if (!(await mayRunOn(services.context.workspaceState, profile, requests))) return;
    const target = {
      connectionId: profile.id,
      endpointId: endpoint.id,
      endpointName: endpoint.name,
      pricePerHour,
      member,
    };
    await startBatch(prepared, target, services.clock);
    isStarted = true;
    runInBackground(services, services.batches.runs.run(prepared.folder));
  } finally {
    if (!isStarted) await discardPrepared(prepared);
  }
}

async function sourceOf(uri: vscode.Uri): Promise<Source> {
  if (uri.scheme !== 'file') throw new UserError(l10n.t('the source must be a file or folder on the disk'));
  const source = await findSource(uri.fsPath);
  const name = path.basename(uri.fsPath);
  if (!source) throw new UserError(shown`“${name}” is neither a folder nor a JSON Lines or CSV file`);
  if (source.kind === 'folder' && source.files.length === 0)
    throw new UserError(shown`the folder “${name}” has no files`);
  return source;
}

async function askForMember(): Promise<string | undefined> {
  return askForText({
    title: l10n.t('Run Batch'),
    prompt: l10n.t('Property of the input that receives the content of each file as a data URL'),
    value: DEFAULT_MEMBER,
    validate: (text) => (text.trim() === '' ? l10n.t('Enter a name') : undefined),
  });
}

async function prepare(
  { batches: { root }, clock }: BatchServices,
  source: Source,
  member: string,
): Promise<PreparedBatch> {
  const name = path.basename(source.path);
  try {
    // The editor hides notifications that follow others too quickly.
    return await withLateProgress(clock, shown`Reading “${name}”`, (signal, report) => {
      const onRow = (rows: number): void => {
        if (rows % 1_000 === 0) report(l10n.t`${whole.format(rows)} rows`);
      };
      return prepareBatch(root, { source, member, signal, onRow });
    });
  } catch (error) {
    if (error instanceof SourceError) throw new UserError(sourceErrorText(error));
    if ((error as Error).name === 'AbortError') throw new vscode.CancellationError();
    throw error;
  }
}

/** Returns whether the batch runs without its broken rows. */
async function maySkip(
  { batches: { brokenRows } }: BatchServices,
  name: string,
  { broken, rows, listed }: PreparedBatch,
): Promise<boolean> {
  const [first] = listed;
  if (!first) return true;
  const [skip, show] = [l10n.t('Skip Broken Rows'), l10n.t('Show Rows')];
  const question =
    broken === 1
      ? rows === 1
        ? shown`“${name}” has 1 broken row and 1 valid row. ${brokenText(first)}.`
        : shown`“${name}” has 1 broken row and ${whole.format(rows)} valid rows. ${brokenText(first)}.`
      : rows === 1
        ? shown`“${name}” has ${whole.format(broken)} broken rows and 1 valid row. ${brokenText(first)}.`
        : shown`“${name}” has ${whole.format(broken)} broken rows and ${whole.format(rows)} valid rows. ${brokenText(first)}.`;
  const chosen = await showMessage('warning', question, skip, show);
  if (chosen !== show) return chosen === skip;
  const more = broken > listed.length ? [l10n.t`… and ${broken - listed.length} more`] : [];
  const text = joined([...listed.map(brokenText), ...more], '\n');
  await vscode.window.showTextDocument(brokenRows.add(`Broken rows of ${name}`, text.text));
  return (await showMessage('warning', question, skip)) === skip;
}

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
async function chooseSource(): Promise<vscode.Uri | undefined> {
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
