import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { IMAGE_EDIT_PRICE_USD, MAX_EMBEDDED_IMAGE_BYTES, MAX_PROMPT_LENGTH } from '../../../contract/imageModel.ts';
import { cents } from '../../../account/prices/money.ts';
import { EditFailedError, editImage as edit } from '../../../features/images/actions/editImage.ts';
import { fetchEditedImage } from '../../../features/images/actions/fetchImage.ts';
import { acceptsFiles, readImageFile } from '../../../features/images/actions/readSource.ts';
import { fileNames } from '../../../features/images/history/model/fileName.ts';
import type {
  EditedImage,
  EditParameters,
  EditSource,
  FinishedEdit,
} from '../../../features/images/model/imageEdit.ts';
import { ToolError } from '../../model/toolError.ts';
import {
  changeTool,
  type CallContext,
  type ToolConnection,
  type ToolContext,
  type WorkspaceFile,
} from '../agentTool.ts';

const input = z.strictObject({
  image: z
    .string()
    .min(1)
    .max(4_000)
    .describe(
      'Path of a PNG or JPEG file in the workspace (local platform only), or an http or https URL that the platform can read.',
    ),
  prompt: z.string().min(1).max(MAX_PROMPT_LENGTH).describe('Editing instructions, such as “make it black and white”.'),
  negativePrompt: z.string().max(MAX_PROMPT_LENGTH).default('').describe('Elements to exclude. Default: none.'),
  seed: z
    .int()
    .min(0)
    .optional()
    .describe('Seed for a result that can be repeated. Default: random. The result contains the seed.'),
  format: z.enum(['png', 'jpeg']).default('png').describe('Format of the edited image. Default: png.'),
  safetyChecker: z.boolean().default(true).describe('Whether the platform checks the content. Default: true.'),
  saveAs: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Path in the workspace for the edited image, which must not exist. Default: a free name in the folder of the image, or in the workspace for a URL.',
    ),
});
type Input = z.infer<typeof input>;

export const editImage = changeTool({
  name: 'edit_image',
  title: 'Edit Image',
  summary: 'Edits an image with the public model, and saves the result in the workspace.',
  icon: 'edit-sparkle',
  description:
    'Edits an image as described in words with the public image-editing model, and saves the result as a new file in the workspace. Never replaces a file. ' +
    'Returns the path, the URL (which expires after 7 days), the seed, and the cost. On a hosted platform each edit costs money, and the image must be a public URL. ' +
    'The local platform has no generative model: it understands simple instructions, such as black and white, blur, rotate, and resize, and fails with a list of them otherwise.',
  input,
  effect: 'run',
  commands: ['cloudCompute.images.edit'],
  progress: ({ image }) => l10n.t`Editing “${image}”`,
  plan: async (call, context) => {
    const connection = context.connection();
    const { name, host, isLocal } = connection;
    const source = await sourceOf(call, context);
    if (call.saveAs !== undefined) await requireFree(call.saveAs, context);
    const price = isLocal ? l10n.t('Costs nothing.') : l10n.t`Costs ${cents(IMAGE_EDIT_PRICE_USD)}.`;
    const sent =
      source.kind === 'file'
        ? l10n.t('Sends the file to the platform.')
        : l10n.t('The platform reads the image from its address.');
    return {
      question: {
        title: l10n.t`Edit an image on “${name}” (${host})?`,
        lines: [
          `${price} ${sent}`,
          l10n.t`Image: ${call.image}`,
          l10n.t`Prompt: ${call.prompt}`,
          l10n.t`Saves the result as a new file in the workspace${call.saveAs === undefined ? '.' : `: ${call.saveAs}`}`,
        ],
        content: source.kind === 'file' ? createHash('sha256').update(source.bytes).digest('hex') : source.url,
      },
      act: () => edited(call, source, connection, context),
    };
  },
});

async function edited(
  call: Input,
  source: EditSource,
  { client }: ToolConnection,
  context: CallContext,
): Promise<object> {
  const { clock, signal } = context;
  const { prompt, negativePrompt, seed, format, safetyChecker } = call;
  const parameters: EditParameters = { prompt, negativePrompt, seed: seed ?? 'random', format, safetyChecker };
  const onJob = ({ status }: { status: string }) => context.report(l10n.t`The edit is ${status}`);
  const finished = await finish(edit({ client, clock, signal, onJob }, source, parameters));
  context.report(l10n.t('Saving the edited image'));
  const { fetch, connection } = client.context;
  const saved = await fetchEditedImage({ fetch, clock, signal, connection }, finished.url)
    .then(async (image) => ({ ...(await save(call, image, context)), width: image.width, height: image.height }))
    // The edit has succeeded and can have cost money, so its address is returned.
    .catch((error: unknown) => ({ saveProblem: (error as Error).message }));
  return {
    ...saved,
    url: finished.url,
    expiresAt: new Date(finished.expiresAt).toISOString(),
    seed: finished.parameters.seed,
    costUsd: finished.cost,
    jobId: finished.id,
    queueMs: finished.delayTime,
    runMs: finished.executionTime,
  };
}

/** A failed edit is a result that the model must see, with the platform's reason. */
async function finish(running: Promise<FinishedEdit>): Promise<FinishedEdit> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof EditFailedError)) throw error;
    throw new ToolError('editFailed', `The edit failed (job ${error.jobId}): ${error.reason ?? error.message}`);
  }
}

function isUrl(image: string): boolean {
  return /^https?:/i.test(image);
}

async function sourceOf({ image }: Input, context: ToolContext): Promise<EditSource> {
  if (isUrl(image)) return { kind: 'url', url: image };
  if (!acceptsFiles(context.connection().isLocal ? 'local' : 'hosted'))
    throw new ToolError('invalidInput', 'image: this hosted platform edits only images at public URLs, not files.');
  const { files } = context;
  const { name } = await files.find(image);
  return readImageFile(await files.read(image, MAX_EMBEDDED_IMAGE_BYTES), name).source;
}

async function requireFree(path: string, { files }: ToolContext): Promise<void> {
  const found = await files.find(path).catch((error: unknown) => {
    if (error instanceof ToolError && error.code === 'noFile') return undefined;
    throw error;
  });
  if (found) throw new ToolError('fileExists', `The file “${path}” exists already.`);
}

/** Maximum number of names to try. */
const MAX_NAMES = 100;

async function save(
  { image, saveAs }: Input,
  { bytes, mediaType }: EditedImage,
  { files }: ToolContext,
): Promise<Pick<WorkspaceFile, 'size'> & { readonly path: string }> {
  if (saveAs !== undefined) return placeOf(await files.create(saveAs, bytes));
  const folder = isUrl(image) ? '' : (await files.find(image)).name.split('/').slice(0, -1).join('/');
  const source = isUrl(image) ? (URL.parse(image)?.pathname ?? '') : image;
  const names = fileNames(source, mediaType === 'image/png' ? 'png' : 'jpg');
  for (let tries = 1; ; tries++) {
    const { value: name } = names.next();
    try {
      return placeOf(await files.create(folder === '' ? name : `${folder}/${name}`, bytes));
    } catch (error) {
      if (!(error instanceof ToolError && error.code === 'fileExists') || tries >= MAX_NAMES) throw error;
    }
  }
}

function placeOf({ name, size }: WorkspaceFile) {
  return { path: name, size };
}
