import * as z from 'zod';
import { MAX_INTEGER } from './bounds.ts';
import { DEFAULT_IMAGE_FORMAT } from './imageModel.ts';
import { Job, JobRequest, MAX_WAIT_MS, MIN_WAIT_MS } from './job.ts';
import { integerParameter } from './schema.ts';

/* Requests and results of the public image-editing model. */

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
