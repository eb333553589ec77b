import * as z from 'zod';
import { MAX_INTEGER } from './bounds.ts';
import { Job, JobRequest, MAX_WAIT_MS, MIN_WAIT_MS } from './job.ts';
import { integerParameter } from './schema.ts';

/* The public image-editing model. */

/** Endpoint ID of the model, which behaves like any other queue-based endpoint. */
export const IMAGE_EDIT_ENDPOINT_ID = 'image-edit';

/** Lifetime of the URL of an edited image, in ms. */
export const IMAGE_URL_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Flat price of one edited image, in USD. If a response has `output.cost`, that amount was charged instead. */
export const IMAGE_EDIT_PRICE_USD = 0.02;

/* Limits of the model of local platforms. Hosted platforms do not document theirs. */

/** Maximum size of the file of a source image, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1_048_576;
/** Maximum size of a source image that the request itself contains, in bytes. As a `data:` URL, it fits into a body of runsync. */
export const MAX_EMBEDDED_IMAGE_BYTES = 14 * 1_048_576;
/** Maximum size of a picture, in pixels. A picture of this size is a large photo, and takes 96 MB of memory. */
export const MAX_IMAGE_PIXELS = 24_000_000;
/** Maximum length of `prompt` and of `negative_prompt`, in UTF-16 code units. */
export const MAX_PROMPT_LENGTH = 4_000;
/** Largest seed that a client chooses at random. */
export const MAX_RANDOM_SEED = 2 ** 31 - 1;

/** Format of an edited image if the request has none. */
export const DEFAULT_IMAGE_FORMAT = 'jpeg';

export const ImageEditInput = z.strictObject({
  prompt: z.string().meta({ description: 'Editing instructions for the image.' }),
  image: z.string().meta({ description: 'URL of the image to edit.' }),
  negative_prompt: z.string().optional().meta({ description: 'Elements to exclude from the edited image.' }),
  seed: z.int().min(-MAX_INTEGER).max(MAX_INTEGER).optional().meta({
    description: 'Seed of the random numbers. -1: random. Any other value gives reproducible results. Default: -1.',
    default: -1,
  }),
  output_format: z
    .enum(['png', 'jpeg'])
    .optional()
    .meta({
      description: `Format of the edited image. Default: ${DEFAULT_IMAGE_FORMAT}.`,
      default: DEFAULT_IMAGE_FORMAT,
    }),
  enable_safety_checker: z
    .boolean()
    .optional()
    .meta({ description: 'true: check the content for safety. Default: true.', default: true }),
});
export type ImageEditInput = z.infer<typeof ImageEditInput>;
export type ImageFormat = NonNullable<ImageEditInput['output_format']>;

export const ImageEditRequest = z.strictObject({
  input: ImageEditInput.meta({ description: 'Image and instructions.' }),
});
export type ImageEditRequest = z.infer<typeof ImageEditRequest>;

/** Default time that the service waits for an edit, in ms. */
export const IMAGE_EDIT_WAIT_MS = MAX_WAIT_MS;
export const ImageEditQuery = z.strictObject({
  wait: integerParameter({ min: MIN_WAIT_MS, max: MAX_WAIT_MS })
    .optional()
    .meta({
      description: `Maximum time to wait for the edited image, in ms. Then the response is the unfinished job. Default: ${IMAGE_EDIT_WAIT_MS}.`,
    }),
});

/** Body of `run`, which has the form of any other job. */
export const ImageEditJobRequest = z.looseObject({
  ...JobRequest.shape,
  input: ImageEditInput.meta({ description: 'Image and instructions.' }),
});
export type ImageEditJobRequest = z.infer<typeof ImageEditJobRequest>;

/** Output of a job that edited an image. */
export const ImageOutput = z.looseObject({
  image_url: z.string().meta({ description: 'URL of the edited image. It expires after 7 days.' }),
  cost: z.number().optional().meta({ description: 'Cost in USD.' }),
});
export type ImageOutput = z.infer<typeof ImageOutput>;

/** A job: COMPLETED with `output`, or FAILED with `error`, such as for an invalid image URL. The HTTP status can be 200 for both. */
export const ImageEditResult = z.looseObject({
  ...Job.shape,
  output: ImageOutput.optional().meta({ description: 'Edited image. Present with the status COMPLETED.' }),
});
export type ImageEditResult = z.infer<typeof ImageEditResult>;
