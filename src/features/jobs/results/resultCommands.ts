import os from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { dataSize } from '../../../text/quantities.ts';
import { fileStem } from '../../../text/fileNames.ts';
import { statusWords } from '../../../account/jobWords.ts';
import type { Job } from '../../../contract/job.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';
import type { JobDocuments } from './jobDocuments.ts';
import type { LoadedJob } from './loadedJob.ts';
import { imageWords, type ResultImage, imageOf } from './resultImages.ts';
import { jsonBytes } from './jsonPieces.ts';

const PREVIEW = 'imagePreview.previewEditor';

/**
 * Opens images of a job's output: in the editor's preview, or in the browser if the output has only the address. An address is never read
 * by this extension.
 *
 * @param argument address of a document of the job, or nothing for the active one
 * @param index number of one image. Default: the user picks one of several
 */
export async function openImages(documents: JobDocuments, argument: unknown, index: unknown): Promise<void> {
  const loaded = await documents.jobOf(documentUri(argument));
  const { images } = loaded;
  if (images.length === 0) throw new UserError(l10n.t('the output of this job has no images'));
  const chosen = typeof index === 'number' ? [index] : images.length === 1 ? [0] : await choose(images);
  for (const one of chosen ?? []) {
    const image = images[one];
    if (image) await open(documents, loaded, image, one);
  }
}

async function choose(images: readonly ResultImage[]): Promise<readonly number[] | undefined> {
  const embedded = images.flatMap(({ kind }, index) => (kind === 'embedded' ? [index] : []));
  const items = images.map((image, index) => ({
    label: shown`$(${image.kind === 'remote' ? 'link-external' : 'file-media'}) Image ${index + 1}`,
    description: imageWords(image),
    detail: image.path.join('.'),
    chosen: [index],
  }));
  const all = {
    label: shown`$(files) Show All`,
    description: '',
    detail: l10n.t('without addresses'),
    chosen: embedded,
  };
  const offered = embedded.length > 1 ? [all, ...items] : items;
  return (await pick(offered, { title: l10n.t('Images of the Result'), placeholder: l10n.t('Image to open') }))?.chosen;
}

async function open(documents: JobDocuments, { address }: LoadedJob, image: ResultImage, index: number): Promise<void> {
  if (image.kind === 'remote') {
    await vscode.env.openExternal(vscode.Uri.parse(image.url, true));
    return;
  }
  const uri = documents.imageUri(address, index + 1, image.extension);
  await vscode.commands.executeCommand('vscode.openWith', uri, PREVIEW, {
    viewColumn: vscode.ViewColumn.Active,
    preview: false,
  });
}

const SHOWN_MS = 10_000;

/** Saves the complete output of a job to a file that the user chooses. @param argument address of a document of the job, or nothing */
export async function saveOutput(documents: JobDocuments, argument: unknown): Promise<void> {
  const loaded = await documents.jobOf(documentUri(argument));
  const { job } = loaded;
  if (!job) throw new UserError(l10n.t('the result of this job is not available'));
  const saved = savedOutput(job);
  if (!saved) throw new UserError(shown`the job is ${statusWords(job.status)} and has no output`);
  const target = await vscode.window.showSaveDialog({ defaultUri: proposedFile(loaded, saved.extension) });
  if (!target) return;
  const bytes = await saved.bytes();
  await vscode.workspace.fs.writeFile(target, bytes);
  showStatusBarMessage(shown`$(check) Output saved (${dataSize(bytes.length)})`, SHOWN_MS);
}

function proposedFile({ address, stored }: LoadedJob, extension: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const name = fileStem(`${stored?.endpointName ?? 'job'}-${address.jobId}`, 'job');
  return vscode.Uri.joinPath(folder, `${name}.${extension}`);
}

/** Content of a file with the whole output of a job. */
interface SavedOutput {
  /** Extension of the file, without the dot. */
  readonly extension: string;
  readonly bytes: () => Promise<Uint8Array>;
}

const DATA_URL = /^data:([\w.+/-]{0,100})(?:;[^;,]{0,100}){0,5};base64,/i;
/** Extensions of the types whose name is not the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'image/jpeg': 'jpg',
};

/** Returns the file of an output: the content of a data URL, a text as it is, and any other value as JSON. Undefined without an output. */
function savedOutput({ output }: Pick<Job, 'output'>): SavedOutput | undefined {
  if (output === undefined || output === null) return undefined;
  if (typeof output !== 'string') return { extension: 'json', bytes: () => jsonBytes(output) };
  const image = imageOf(output, undefined);
  if (image?.kind === 'embedded')
    return { extension: image.extension, bytes: () => Promise.resolve(Buffer.from(image.base64, 'base64')) };
  const [head = '', type = ''] = DATA_URL.exec(output.slice(0, 1_000)) ?? [];
  if (head === '') return { extension: 'txt', bytes: () => Promise.resolve(Buffer.from(output)) };
  const content = output.slice(head.length);
  return { extension: extensionOf(type.toLowerCase()), bytes: () => Promise.resolve(Buffer.from(content, 'base64')) };
}

function extensionOf(type: string): string {
  const subtype = type.split('/')[1] ?? '';
  return EXTENSIONS[type] ?? (/^[a-z0-9]{2,5}$/.test(subtype) ? subtype : 'bin');
}

/** Returns the address of a job's document: the argument of a command, or the active editor. @throws UserError if there is none */
function documentUri(argument: unknown): vscode.Uri {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== JOB_SCHEME) throw new UserError(l10n.t('no job result is open'));
  return uri;
}
