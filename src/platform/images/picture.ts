import { MAX_IMAGE_PIXELS } from '../../contract/imageModel.ts';

/** An image in memory: rows from the top, four bytes per pixel (red, green, blue, and alpha, not premultiplied). */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** Thrown for an impossible edit. The caller of the platform receives the message. */
export class EditError extends Error {
  override readonly name = 'EditError';
}

/** @throws EditError if a picture has that size and thus no pixels, or too many */
export function checkSize(width: number, height: number, subject: 'the image' | 'the result'): void {
  if (width * height === 0) throw new EditError(`${subject} has no pixels`);
  if (width * height <= MAX_IMAGE_PIXELS) return;
  const limit = `${MAX_IMAGE_PIXELS / 1e6} megapixels`;
  throw new EditError(`${subject} is too large: ${width}x${height} is more than ${limit}`);
}
