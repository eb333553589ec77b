import { randomInt } from 'node:crypto';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  IMAGE_EDIT_ENDPOINT_ID,
  IMAGE_EDIT_PRICE_USD,
  MAX_RANDOM_SEED,
  type ImageFormat,
} from '../../../contract/imageEdit.ts';
import { confirmed } from '../../../vscode/messages.ts';
import { withLateProgress } from '../../../vscode/progress.ts';
import { askForText, pick } from '../../../vscode/quickInput.ts';
import { count } from '../../../vscode/text/quantities.ts';
import { joined, shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import type { Profile } from '../../connections/connectionStore.ts';
import { requireConnection } from '../../connections/requireConnection.ts';
import {
  discardPrepared,
  prepareBatch,
  startBatch,
  type PreparedBatch,
} from '../../jobs/batch/actions/prepareBatch.ts';
import { runInBackground } from '../../jobs/batch/batchRuns.ts';
import { maySkip } from '../../jobs/batch/runBatchCommand.ts';
import type { Services } from '../../services.ts';
import { requireTrust } from '../../trust/workspaceTrust.ts';
import { acceptsFiles } from '../actions/readSource.ts';
import { parameterProblems } from '../model/checkParameters.ts';
import type { SentParameters } from '../model/imageEdit.ts';
import { imageRows } from './actions/imageRows.ts';
import { IMAGE_BATCH, targetOf } from './imageBatches.ts';

const TITLE = l10n.t('Edit Images in Folder');
/** Images in the folder itself. */
const DEFAULT_PATTERN = '*.{png,jpg,jpeg,gif,PNG,JPG,JPEG,GIF}';
/** Maximum number of images of one batch. */
const MAX_IMAGES = 10_000;
/** Maximum number of files to find. An earlier batch of the same folder has as many results as images. */
const MAX_FOUND = 2 * MAX_IMAGES + 1;

/**
 * Edits all images of a folder with one prompt, as a batch of jobs.
 *
 * @param argument the folder, or nothing
 */
export async function editFolder(services: Services, argument: unknown): Promise<void> {
  const { profile } = requireConnection(services.connections);
  requireFiles(profile);
  const folder = argument instanceof vscode.Uri ? argument : await chooseFolder();
  if (!folder) return;
  if (folder.scheme !== 'file') throw new UserError(l10n.t('the folder must be on the disk'));
  const name = path.basename(folder.fsPath);
  requireTrust({ source: 'workspaceFile', process: undefined, deed: shown`editing the images of ${name}` });
  const files = await chooseFiles(folder, name);
  if (!files) return;
  const parameters = await askForParameters(files.length);
  if (!parameters) return;
  const prepared = await prepare(services, folder, { files, parameters });
  let isStarted = false;
  try {
    if (!(await maySkip(services, name, prepared, 'file'))) return;
    if (prepared.rows === 0) throw new UserError(shown`“${name}” has no images that can be edited`);
    if (!(await mayEdit(profile, folder.fsPath, prepared))) return;
    const target = {
      ...{ connectionId: profile.id, endpointId: IMAGE_EDIT_ENDPOINT_ID, endpointName: l10n.t('Image Editing') },
      ...{ pricePerHour: undefined, member: 'image', task: IMAGE_BATCH },
    };
    await startBatch(prepared, target, services.clock);
    isStarted = true;
    runInBackground(services, services.batches.runs.run(prepared.folder));
  } finally {
    if (!isStarted) await discardPrepared(prepared);
  }
}

/** @throws UserError for a hosted platform, which edits only images at public addresses */
function requireFiles({ kind, name }: Profile): void {
  if (!acceptsFiles(kind === 'local' ? 'local' : 'hosted'))
    throw new UserError(
      shown`“${name}” is a hosted platform, which edits only images at public addresses. The images of a folder can be edited on the local platform`,
      { label: l10n.t('Switch Connection'), command: 'cloudCompute.connections.switch' },
    );
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const options = { canSelectFiles: false, canSelectFolders: true, openLabel: l10n.t('Edit Images'), title: TITLE };
  return (await vscode.window.showOpenDialog(options))?.[0];
}

/** Returns the paths of the images relative to the folder, or undefined if the user canceled. */
async function chooseFiles(folder: vscode.Uri, name: string): Promise<readonly string[] | undefined> {
  const pattern = await askForText({
    title: `${TITLE} (1/3)`,
    prompt: shown`Images in “${name}”, as a pattern. The pattern **/*.png also matches subfolders.`,
    value: DEFAULT_PATTERN,
    validate: (text) => (text.trim() === '' ? l10n.t('Enter a pattern') : undefined),
  });
  if (pattern === undefined) return undefined;
  const target = targetOf(folder.fsPath);
  const edited = path.join(target.root, target.name) + path.sep;
  const matches = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, pattern.trim()),
    undefined,
    MAX_FOUND,
  );
  // The results of an earlier batch are not edited again.
  const found = matches.filter(({ fsPath }) => !fsPath.startsWith(edited));
  if (found.length === 0) throw new UserError(shown`“${name}” has no files that match “${pattern.trim()}”`);
  if (found.length > MAX_IMAGES) throw new UserError(shown`“${name}” has more than ${count(MAX_IMAGES, 'image')}`);
  const relative = found.map(({ fsPath }) => path.relative(folder.fsPath, fsPath).split(path.sep).join('/'));
  return relative.sort(new Intl.Collator('en', { numeric: true }).compare);
}

async function askForParameters(images: number): Promise<SentParameters | undefined> {
  const draft = { negativePrompt: '', seed: undefined, format: 'jpeg', safetyChecker: true } as const;
  const prompt = await askForText({
    title: `${TITLE} (2/3)`,
    prompt: shown`Edit of ${count(images, 'image')}, such as: make it black and white, and add a white border of 10 px`,
    value: '',
    ignoreFocusOut: true,
    validate: (text) => parameterProblems({ ...draft, prompt: text })[0]?.message,
  });
  if (prompt === undefined) return undefined;
  const formats: readonly { label: string; description: string; format: ImageFormat | undefined }[] = [
    { label: 'JPEG', description: l10n.t('small files'), format: 'jpeg' },
    { label: 'PNG', description: l10n.t('lossless, with transparency'), format: 'png' },
    { label: l10n.t('Service default'), description: l10n.t('the platform chooses the format'), format: undefined },
  ];
  const chosen = await pick(formats, { title: `${TITLE} (3/3)`, placeholder: l10n.t('Format of the edited images') });
  // The service does not report a seed that it chooses. All images have the same one, so that the batch can be repeated.
  return chosen && { ...draft, prompt, format: chosen.format, seed: randomInt(MAX_RANDOM_SEED + 1) };
}

interface Chosen {
  readonly files: readonly string[];
  readonly parameters: SentParameters;
}

async function prepare(
  { batches, clock }: Services,
  folder: vscode.Uri,
  { files, parameters }: Chosen,
): Promise<PreparedBatch> {
  const source = { kind: 'folder', path: folder.fsPath, files, hasMedia: true } as const;
  try {
    return await withLateProgress(clock, l10n.t('Reading the images'), (signal, report) =>
      prepareBatch(batches.files, {
        ...{ source, member: 'image', signal, read: imageRows(parameters) },
        onRow: (rows) => report(l10n.t`${rows} of ${files.length}`),
      }),
    );
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw new vscode.CancellationError();
    throw error;
  }
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

function mayEdit({ name }: Profile, source: string, { rows }: PreparedBatch): Promise<boolean> {
  const price = dollars.format(rows * IMAGE_EDIT_PRICE_USD);
  const detail = joined(
    [
      shown`The edited images are written to the folder “${targetOf(source).name}”. No file is replaced.`,
      shown`Price: ${price} (${dollars.format(IMAGE_EDIT_PRICE_USD)} per image). The local platform meters this amount and bills nothing.`,
    ],
    '\n',
  );
  return confirmed(
    shown`Edit ${count(rows, 'image')} of “${path.basename(source)}” on “${name}”?`,
    detail,
    l10n.t('Edit Images'),
  );
}
