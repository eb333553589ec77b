import * as z from 'zod/mini';
import { pngBytes, type Received } from '../schema.ts';

/* Messages between the editor and the page of the image editor. Times are in ms since the epoch. */

const Address = z.string().check(z.maxLength(8_000));
/** Prompts above the limit of the model are reported, and not dropped. */
const Prompt = z.string().check(z.maxLength(100_000));
/** ID of an edit in the history. */
const EditId = z.string().check(z.maxLength(1_000));

/** Parameters as the page shows them. */
const Form = z.object({
  prompt: Prompt,
  negativePrompt: Prompt,
  /** `random` chooses another seed for each edit, and `service` sends none. */
  seedMode: z.enum(['random', 'fixed', 'service']),
  /** The seed as text, which can be invalid. */
  seed: z.string().check(z.maxLength(100)),
  /** Undefined: the default of the service. */
  format: z.optional(z.enum(['png', 'jpeg'])),
  /** Undefined: the default of the service. */
  safetyChecker: z.optional(z.boolean()),
});
export type ImageEditForm = Received<typeof Form>;

/** Fields that an error refers to. */
const Field = z.enum(['image', 'prompt', 'negativePrompt', 'seed', 'safetyChecker']);
export type ImageEditField = z.infer<typeof Field>;

/** Commands that the page can request from the editor. */
const Action = z.enum(['startLocalPlatform', 'switchConnection', 'replaceKey', 'showLog']);
export type ImageEditAction = z.infer<typeof Action>;

const Failure = z.object({
  message: z.string(),
  /** What to change, one sentence each. */
  advice: z.array(z.string()),
  /** Fields to change. */
  fields: z.array(Field),
  /** Whether the same edit can succeed later. */
  retry: z.boolean(),
  remedy: z.optional(z.object({ label: z.string(), action: Action })),
  /** ID of the failed job. */
  jobId: z.optional(z.string()),
});
export type ImageEditFailure = Received<typeof Failure>;

/** A picture whose bytes are in a message of their own. */
const Picture = z.object({
  /** Identifies the bytes. */
  id: z.string(),
  width: z.number(),
  height: z.number(),
  /** Size of the file, in bytes. */
  bytes: z.number(),
});
export type ImageEditPicture = Received<typeof Picture>;

/** Identifies a source after a reload. */
const KeptSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), uri: Address }),
  z.object({ kind: z.literal('url'), url: Address }),
]);
export type ImageEditKeptSource = Received<typeof KeptSource>;

const Source = z.object({
  kind: z.enum(['file', 'url', 'result']),
  /** Name of the file, or the address. */
  name: z.string(),
  /** Undefined while the image at an address has not been loaded. */
  picture: z.optional(Picture),
  /** Whether the image at the address is being loaded. */
  isLoading: z.boolean(),
  /** Why the image at the address could not be loaded. The edit can still succeed. */
  failure: z.optional(Failure),
  /** Undefined for bytes, such as a pasted image. */
  kept: z.optional(KeptSource),
});
export type ImageEditSource = Received<typeof Source>;

/** Phases of an edit. `starting` lasts until the platform has accepted the job, and `waiting` is its wait for a rate limit. */
const Phase = z.enum(['starting', 'waiting', 'queued', 'running', 'loading', 'canceling']);
export type ImageEditPhase = z.infer<typeof Phase>;

const Result = z.object({
  /** ID of the request, for people. */
  id: z.string(),
  /** ID of the edit in the history. */
  editId: z.string(),
  /** Whether the edit is in the history without a thumbnail, which the page can draw. */
  lacksThumbnail: z.boolean(),
  /** Whether a later edit failed. */
  isEarlier: z.boolean(),
  /** Name of the source. */
  source: z.string(),
  /** The source image, if the editor has it. */
  before: z.optional(Picture),
  /** The edited image, once it is loaded. */
  after: z.optional(Picture),
  /** Why the edited image could not be loaded. */
  failure: z.optional(Failure),
  prompt: z.string(),
  seed: z.optional(z.number()),
  /** Cost in USD, if the service reported it. */
  cost: z.optional(z.number()),
  delayTime: z.optional(z.number()),
  executionTime: z.optional(z.number()),
  workerId: z.optional(z.string()),
  url: z.string(),
  /** Latest time at which the address expires. */
  expiresAt: z.number(),
  /** Name of the file that the image was saved to. */
  savedAs: z.optional(z.string()),
});
export type ImageEditResult = Received<typeof Result>;

const HistoryEntry = z.object({
  id: z.string(),
  time: z.number(),
  prompt: z.string(),
  source: z.string(),
  /** Identifies the bytes of the thumbnail. */
  thumbnail: z.optional(z.string()),
});
export type ImageEditHistoryEntry = Received<typeof HistoryEntry>;

/** Content of the page, without the bytes of pictures. */
const View = z.object({
  /** Name of the connection that edits the images. */
  connection: z.optional(z.string()),
  /** Whether the platform runs on this machine, understands the suggestions, and bills nothing. */
  isLocal: z.boolean(),
  /** Whether the platform accepts files. Other platforms accept only addresses. */
  acceptsFiles: z.boolean(),
  /** Price of an edit in USD. */
  price: z.number(),
  source: z.optional(Source),
  /** Why a file or an address is not the source. */
  sourceFailure: z.optional(Failure),
  run: z.optional(z.object({ phase: Phase, since: z.number() })),
  failure: z.optional(Failure),
  result: z.optional(Result),
  history: z.array(HistoryEntry),
  /** Time of the editor, because the page can run on another machine. */
  now: z.number(),
});
export type ImageEditView = Received<typeof View>;

const Suggestion = z.object({
  /** Name of the instruction. */
  label: z.string(),
  prompt: z.string(),
  /** Values that the instruction takes. */
  takes: z.string(),
});

/** Facts that do not change while the page is open. */
const Setup = z.object({
  suggestions: z.array(Suggestion),
  /** Maximum length of a prompt, in UTF-16 code units. */
  maxPrompt: z.number(),
  /** Maximum size of an image file, in bytes. */
  maxFileBytes: z.number(),
  /** Form of a page that has kept none. */
  form: Form,
});
export type ImageEditSetup = Received<typeof Setup>;

/** Images that the page shows. */
const MediaType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
export type ImageEditMediaType = z.infer<typeof MediaType>;

export const ToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('setup'), setup: Setup }),
  z.object({ type: z.literal('view'), view: View }),
  /** Replaces the form, for example with the parameters of an earlier edit. */
  z.object({ type: z.literal('form'), form: Form }),
  /** Bytes of a picture or a thumbnail that a view refers to. */
  z.object({
    type: z.literal('picture'),
    id: z.string(),
    mediaType: MediaType,
    bytes: z.instanceof(Uint8Array),
  }),
]);
export type ImageEditToWebview = Received<typeof ToWebview>;

/** Maximum size of an image in a message, in bytes. */
const MAX_IMAGE_BYTES = 32 * 1_048_576;
/** Maximum size of a thumbnail, in bytes. */
const MAX_THUMBNAIL_BYTES = 204_800;

export const ToHost = z.discriminatedUnion('type', [
  /** `ready`: the page is loaded and can receive messages. `loadSource` loads the image at the address of the source. */
  z.object({
    type: z.enum([
      ...(['ready', 'chooseFile', 'removeSource', 'loadSource', 'cancel'] as const),
      ...(['loadResult', 'save', 'editAgain', 'openResult'] as const),
    ]),
  }),
  z.object({ type: z.literal('sourceUrl'), url: Address }),
  /** A file that was dropped from the editor. */
  z.object({ type: z.literal('sourceUri'), uri: Address }),
  /** A file that was dropped from another program, or pasted. */
  z.object({
    type: z.literal('sourceBytes'),
    name: z.string().check(z.maxLength(1_000)),
    bytes: z.instanceof(Uint8Array).check(z.refine(({ length }) => length <= MAX_IMAGE_BYTES)),
  }),
  /** A file that is too large for a message, with its size in bytes. */
  z.object({ type: z.literal('sourceTooLarge'), bytes: z.number() }),
  z.object({ type: z.literal('run'), form: Form }),
  z.object({ type: z.literal('copy'), what: z.enum(['url', 'requestId']) }),
  z.object({ type: z.enum(['openEdit', 'removeEdit']), id: EditId }),
  /** A small version of the shown result. */
  z.object({ type: z.literal('thumbnail'), id: EditId, bytes: pngBytes(MAX_THUMBNAIL_BYTES) }),
  z.object({ type: z.literal('act'), action: Action }),
]);
export type ImageEditToHost = Received<typeof ToHost>;

/** How the page compares the source with the result. */
const Layout = z.enum(['sideBySide', 'slider']);
export type ImageEditLayout = z.infer<typeof Layout>;

/**
 * The part of the kept state that the page reads. The editor keeps the state while the page is hidden and when the window is reloaded.
 */
export const KeptState = z.object({ form: Form, layout: Layout });
/** The part of the kept state that the editor restores. */
export const KeptImages = z.object({
  source: z.optional(KeptSource),
  /** ID of the shown result in the history. */
  result: z.optional(EditId),
});
export type ImageEditPageState = Received<typeof KeptState> & Received<typeof KeptImages>;
