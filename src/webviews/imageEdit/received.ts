// Most of the size of zod are methods, which this variant does not have. The page needs few of its functions.
import * as z from 'zod/mini';
import type {
  ImageEditForm,
  ImageEditKeptSource,
  ImageEditPageState,
  ImageEditToWebview,
  ImageEditView,
} from './messages.ts';

/* Validation of what the page receives from the editor, and of the state that it kept. */

const Form: z.ZodMiniType<ImageEditForm> = z.object({
  prompt: z.string(),
  negativePrompt: z.string(),
  seedMode: z.enum(['random', 'fixed', 'service']),
  seed: z.string(),
  format: z.optional(z.enum(['png', 'jpeg'])),
  safetyChecker: z.optional(z.boolean()),
});

const Failure = z.object({
  message: z.string(),
  advice: z.array(z.string()),
  fields: z.array(z.enum(['image', 'prompt', 'negativePrompt', 'seed', 'safetyChecker'])),
  retry: z.boolean(),
  remedy: z.optional(
    z.object({
      label: z.string(),
      action: z.enum(['startLocalPlatform', 'switchConnection', 'replaceKey', 'showLog']),
    }),
  ),
  jobId: z.optional(z.string()),
});

const Picture = z.object({ id: z.string(), width: z.number(), height: z.number(), bytes: z.number() });

const KeptSource: z.ZodMiniType<ImageEditKeptSource> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), uri: z.string() }),
  z.object({ kind: z.literal('url'), url: z.string() }),
]);

const View: z.ZodMiniType<ImageEditView> = z.object({
  connection: z.optional(z.string()),
  isLocal: z.boolean(),
  acceptsFiles: z.boolean(),
  price: z.number(),
  source: z.optional(
    z.object({
      kind: z.enum(['file', 'url', 'result']),
      name: z.string(),
      picture: z.optional(Picture),
      isLoading: z.boolean(),
      failure: z.optional(Failure),
      kept: z.optional(KeptSource),
    }),
  ),
  sourceFailure: z.optional(Failure),
  run: z.optional(
    z.object({
      phase: z.enum(['starting', 'waiting', 'queued', 'running', 'loading', 'canceling']),
      since: z.number(),
    }),
  ),
  failure: z.optional(Failure),
  result: z.optional(
    z.object({
      id: z.string(),
      editId: z.string(),
      lacksThumbnail: z.boolean(),
      isEarlier: z.boolean(),
      source: z.string(),
      before: z.optional(Picture),
      after: z.optional(Picture),
      failure: z.optional(Failure),
      prompt: z.string(),
      seed: z.optional(z.number()),
      cost: z.optional(z.number()),
      delayTime: z.optional(z.number()),
      executionTime: z.optional(z.number()),
      workerId: z.optional(z.string()),
      url: z.string(),
      expiresAt: z.number(),
      savedAs: z.optional(z.string()),
    }),
  ),
  history: z.array(
    z.object({
      id: z.string(),
      time: z.number(),
      prompt: z.string(),
      source: z.string(),
      thumbnail: z.optional(z.string()),
    }),
  ),
  now: z.number(),
});

const Setup = z.object({
  suggestions: z.array(z.object({ label: z.string(), prompt: z.string(), takes: z.string() })),
  maxPrompt: z.number(),
  maxFileBytes: z.number(),
  form: Form,
});

export const ToWebview: z.ZodMiniType<ImageEditToWebview> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('setup'), setup: Setup }),
  z.object({ type: z.literal('view'), view: View }),
  z.object({ type: z.literal('form'), form: Form }),
  z.object({
    type: z.literal('picture'),
    id: z.string(),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    bytes: z.instanceof(Uint8Array),
  }),
]);

/** The page reads only its own part. The editor restores the source. */
export const KeptState: z.ZodMiniType<Pick<ImageEditPageState, 'form' | 'layout'>> = z.object({
  form: Form,
  layout: z.enum(['sideBySide', 'slider']),
});
