import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { JobDocuments } from './jobDocuments.ts';
import { documentUri } from './documentUri.ts';
import type { LoadedJob } from './loadedJob.ts';
import { imageWords, type ResultImage } from './resultImages.ts';

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
