import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../../client/apiError.ts';
import type { ControlClient } from '../../../../client/controlClient.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { pullImage } from '../../../../client/controlEvents.ts';
import type { CallOptions } from '../../../../client/request.ts';
import type { PlatformImage, PullEvent, PullImageBody } from '../../../../contract/control/controlImages.ts';
import type { StartProblem } from '../../../../contract/startProblem.ts';
import { startProblemWithCode } from '../../../../account/endpoints/startProblems.ts';
import type { NotRemoved } from '../model/imageWords.ts';

/* Images on the engine of the local platform, without a user interface. */

/** An image that cannot be pulled. The message contains the engine's reason and a remedy. */
export class PullError extends Error {
  /** Class of the cause, if it is known. */
  readonly problem: StartProblem | undefined;

  constructor(reason: string, problem: StartProblem | undefined) {
    super(reason);
    this.name = 'PullError';
    this.problem = problem;
  }
}

/**
 * Pulls an image and resolves with its digest, if the engine reports one.
 *
 * @param onPercent called with the progress, 0 to 100, or undefined if it is not known
 * @throws PullError, and ApiError if the request fails or is canceled
 */
export async function pull(
  context: RequestContext,
  body: PullImageBody,
  { signal, onPercent }: { readonly signal: AbortSignal; readonly onPercent: (percent: number | undefined) => void },
): Promise<string | undefined> {
  let last: PullEvent | undefined;
  for await (const event of pullImage(context, body, signal)) {
    last = event;
    if (event.event === 'progress') onPercent(event.percent);
  }
  if (last?.event === 'failed') {
    throw new PullError(last.reason ?? l10n.t('the engine gives no reason'), startProblemWithCode(last.problem));
  }
  return last?.digest;
}

/** Returns the images that this platform pulled and that nothing uses, the largest first. @throws ApiError */
export async function unusedImages(control: ControlClient, options?: CallOptions): Promise<readonly PlatformImage[]> {
  const { images } = await control.listImages({}, options);
  return images.filter(({ removable }) => removable).sort((a, b) => b.sizeBytes - a.sizeBytes);
}

export interface Removal {
  readonly removed: readonly PlatformImage[];
  readonly notRemoved: readonly NotRemoved[];
}

/**
 * Removes images one after the other, because engines lock their images. An image that is already gone counts as removed. After an abort,
 * or a failure of the engine, the remaining images stay.
 *
 * @throws ApiError if the first request fails because the engine or the platform cannot be reached
 */
export async function removeImages(
  control: ControlClient,
  images: readonly PlatformImage[],
  { signal, onImage }: { readonly signal: AbortSignal; readonly onImage: (image: PlatformImage) => void },
): Promise<Removal> {
  const removed: PlatformImage[] = [];
  const notRemoved: NotRemoved[] = [];
  for (const image of images) {
    if (signal.aborted) break;
    onImage(image);
    try {
      await control.removeImage({ id: image.id }, { signal });
      removed.push(image);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === 'canceled') break;
      if (error.kind === 'notFound') removed.push(image);
      else {
        const isFirst = removed.length + notRemoved.length === 0;
        const isOfEngine = error.status === undefined || error.status >= 500;
        if (isOfEngine && isFirst) throw error;
        notRemoved.push({ image, reason: error.message });
        if (isOfEngine) break;
      }
    }
  }
  return { removed, notRemoved };
}
