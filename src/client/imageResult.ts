import { ImageOutput } from '../contract/imageEdit.ts';
import { IMAGE_URL_LIFETIME_MS } from '../contract/imageModel.ts';
import type { Job } from '../contract/job.ts';

/** Image that a job created. */
export interface ImageResult {
  readonly url: string;
  /** Cost in USD, if the service reports it. */
  readonly cost?: number | undefined;
  /** Latest time at which the URL expires, in ms since the epoch. */
  readonly expiresAt: number;
}

/**
 * Returns the image in the output of a completed job, or undefined if there is none.
 *
 * @param seenAt time at which the job was first seen completed, in ms since the epoch. Responses do not contain the image's creation time
 */
export function imageResultOf(job: Pick<Job, 'status' | 'output'>, seenAt: number): ImageResult | undefined {
  const output = job.status === 'COMPLETED' ? ImageOutput.safeParse(job.output) : undefined;
  if (!output?.success) return undefined;
  const { image_url: url, cost } = output.data;
  if (!URL.canParse(url)) return undefined;
  return { url, cost, expiresAt: seenAt + IMAGE_URL_LIFETIME_MS };
}
