import type { ImageFormat } from '../../../contract/imageEdit.ts';
import type { ImageEditMediaType } from '../../../webviews/imageEdit/messages.ts';

/* An edit of an image with the public model. */

/** Parameters that an edit is sent with. Undefined leaves a parameter to the service. */
export interface SentParameters {
  readonly prompt: string;
  /** Elements to exclude. Empty: none. */
  readonly negativePrompt: string;
  readonly seed: number | undefined;
  readonly format: ImageFormat | undefined;
  readonly safetyChecker: boolean | undefined;
}

/** Parameters of an edit. */
export interface EditParameters extends Omit<SentParameters, 'seed'> {
  /** `random`: the editor chooses a seed. */
  readonly seed: number | 'random' | undefined;
}

/** The image to edit. */
export type EditSource =
  /** `name` is the file's path as the editor shows it: relative to its workspace folder, after the folder's name if there are several, or absolute. */
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array; readonly mediaType: ImageEditMediaType }
  /** An address that the platform reads. */
  | { readonly kind: 'url'; readonly url: string }
  /** The result of an earlier edit, whose address the platform can read until it expires. */
  | { readonly kind: 'result'; readonly url: string; readonly editId: string };

/** A successful edit. */
export interface FinishedEdit {
  /** ID of the request. */
  readonly id: string;
  readonly parameters: SentParameters;
  /** Address of the edited image. */
  readonly url: string;
  /** Latest time at which the address expires, in ms since the epoch. */
  readonly expiresAt: number;
  /** Cost in USD, if the service reported it. */
  readonly cost: number | undefined;
  /** Time in the queue and of the edit, in ms. */
  readonly delayTime: number | undefined;
  readonly executionTime: number | undefined;
  readonly workerId: string | undefined;
}

/** The bytes of an edited image. */
export interface EditedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: ImageEditMediaType;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}
