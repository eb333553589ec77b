import * as z from 'zod';
import { MAX_INTEGER } from './bounds.ts';
import { Job, JobRequest } from './job.ts';

/* The public image-editing model (interface document, operation 6; facts, section 6). */

/** The model's id where an endpoint's id stands: it is a queue endpoint like any other. */
export const IMAGE_EDIT_ENDPOINT_ID = 'image-edit';

/** How long the address of an edited image works, in milliseconds. */
export const IMAGE_URL_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Flat price of one edited image in USD. `output.cost` is what was charged: an answer is to be believed over this. */
export const IMAGE_EDIT_PRICE_USD = 0.02;

export const ImageEditInput = z.strictObject({
  prompt: z.string().meta({ description: 'What to do with the image.' }),
  image: z.string().meta({ description: 'URL of the image to edit.' }),
  negative_prompt: z.string().optional().meta({ description: 'What to leave out.' }),
  seed: z
    .int()
    .min(-MAX_INTEGER)
    .max(MAX_INTEGER)
    .optional()
    .meta({ description: '-1 for a random seed; any other value is reproducible.', default: -1 }),
  output_format: z.enum(['png', 'jpeg']).optional().meta({ default: 'jpeg' }),
  enable_safety_checker: z.boolean().optional().meta({ default: true }),
});
export type ImageEditInput = z.infer<typeof ImageEditInput>;
export type ImageFormat = NonNullable<ImageEditInput['output_format']>;

export const ImageEditRequest = z.strictObject({ input: ImageEditInput });
export type ImageEditRequest = z.infer<typeof ImageEditRequest>;

/** The same as a job of any other queue endpoint, for `run`. */
export const ImageEditJobRequest = z.looseObject({ ...JobRequest.shape, input: ImageEditInput });
export type ImageEditJobRequest = z.infer<typeof ImageEditJobRequest>;

/** Output of a job that made an image. */
export const ImageOutput = z.looseObject({
  image_url: z.string().meta({ description: 'Works for 7 days.' }),
  cost: z.number().optional().meta({ description: 'USD' }),
});
export type ImageOutput = z.infer<typeof ImageOutput>;

/** A job; COMPLETED with `output`, or FAILED with `error` (a bad image address, say), whatever the HTTP status. */
export const ImageEditResult = z.looseObject({
  ...Job.shape,
  output: ImageOutput.optional(),
});
export type ImageEditResult = z.infer<typeof ImageEditResult>;
