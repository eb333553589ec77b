import * as z from 'zod';
import type {
  ImageEditAction,
  ImageEditForm,
  ImageEditKeptSource,
  ImageEditToHost,
} from '../../webviews/imageEdit/messages.ts';
import { kindOf } from '../../machine/images/kind.ts';
import { MAX_FETCHED_BYTES } from './actions/fetchImage.ts';
import { MAX_THUMBNAIL_BYTES } from './model/editHistory.ts';

/* Validation of the data that the editor receives from the page of the image editor. */

const Action: z.ZodType<ImageEditAction> = z.enum(['startLocalPlatform', 'switchConnection', 'replaceKey', 'showLog']);
const Address = z.string().max(8_000);
/** Prompts above the limit of the model are reported, and not dropped. */
const Text = z.string().max(100_000);

const Form: z.ZodType<ImageEditForm> = z.object({
  prompt: Text,
  negativePrompt: Text,
  seedMode: z.enum(['random', 'fixed', 'service']),
  seed: z.string().max(100),
  format: z.enum(['png', 'jpeg']).optional(),
  safetyChecker: z.boolean().optional(),
});

const KeptSource: z.ZodType<ImageEditKeptSource> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), uri: Address }),
  z.object({ kind: z.literal('url'), url: Address }),
]);

export const ToHost: z.ZodType<ImageEditToHost> = z.discriminatedUnion('type', [
  z.object({
    type: z.enum([
      ...(['ready', 'chooseFile', 'removeSource', 'loadSource', 'cancel'] as const),
      ...(['loadResult', 'save', 'editAgain', 'openResult'] as const),
    ]),
  }),
  z.object({ type: z.literal('sourceUrl'), url: Address }),
  z.object({ type: z.literal('sourceUri'), uri: Address }),
  z.object({
    type: z.literal('sourceBytes'),
    name: z.string().max(1_000),
    bytes: z.instanceof(Uint8Array).refine(({ length }) => length <= MAX_FETCHED_BYTES),
  }),
  z.object({ type: z.literal('sourceTooLarge'), bytes: z.number() }),
  z.object({ type: z.literal('run'), form: Form }),
  z.object({ type: z.literal('copy'), what: z.enum(['url', 'requestId']) }),
  z.object({ type: z.enum(['openEdit', 'removeEdit']), id: z.string().max(1_000) }),
  z.object({
    type: z.literal('thumbnail'),
    id: z.string().max(1_000),
    bytes: z.instanceof(Uint8Array).refine((bytes) => bytes.length <= MAX_THUMBNAIL_BYTES && kindOf(bytes) === 'PNG'),
  }),
  z.object({ type: z.literal('act'), action: Action }),
]);

/** The parts of the saved state that the editor restores. The page reads the rest. */
export const KeptState = z.object({ source: KeptSource.optional(), result: z.string().max(1_000).optional() });
