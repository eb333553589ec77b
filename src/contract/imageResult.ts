import * as z from 'zod';

/* Result of the public image models (interface document, operation 6; facts, section 6). */

/** How long the address of an image is good, from when it was made, in milliseconds. */
export const IMAGE_URL_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Output of a job that made an image. */
export const ImageOutput = z.looseObject({
  image_url: z.url(),
  cost: z.number().optional().meta({ description: 'USD' }),
});
export type ImageOutput = z.infer<typeof ImageOutput>;
