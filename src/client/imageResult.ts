import { IMAGE_URL_LIFETIME_MS, ImageOutput } from '../contract/imageEdit.ts';
import type { Job } from '../contract/job.ts';

/** An image a job made. */
export interface ImageResult {
  readonly url: string;
  /** USD, where the service says. */
  readonly cost?: number | undefined;
  /** When the address stops to work, at the latest; milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The image in a job's output, with the time until which its address is good (interface document, operation 6); undefined when
 * there is none.
 *
 * @param seenAt when the job was first seen completed: answers do not say when the image was made
 */
export function imageResultOf(job: Pick<Job, 'status' | 'output'>, seenAt: number): ImageResult | undefined {
  const output = job.status === 'COMPLETED' ? ImageOutput.safeParse(job.output) : undefined;
  if (!output?.success) return undefined;
  const { image_url: url, cost } = output.data;
  if (!URL.canParse(url)) return undefined;
  return { url, cost, expiresAt: seenAt + IMAGE_URL_LIFETIME_MS };
}
