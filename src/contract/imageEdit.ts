import * as z from 'zod';
import { MAX_INTEGER } from './bounds.ts';
import { Job, JobRequest } from './job.ts';

/* The public image-editing model. */

/** Endpoint ID of the model, which behaves like any other queue-based endpoint. */
export const IMAGE_EDIT_ENDPOINT_ID = 'image-edit';

/** Lifetime of the URL of an edited image, in ms. */
export const IMAGE_URL_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Flat price of one edited image, in USD. If a response has `output.cost`, that amount was charged instead. */
export const IMAGE_EDIT_PRICE_USD = 0.02;

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
    .meta({ description: 'Format of the edited image. Default: jpeg.', default: 'jpeg' }),
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
