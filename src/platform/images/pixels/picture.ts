import { MAX_IMAGE_PIXELS } from '../../../contract/imageEdit.ts';

/** An image in memory: rows from the top, four bytes per pixel (red, green, blue, and alpha, not premultiplied). */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export type Color = readonly [red: number, green: number, blue: number];

/** Thrown for an impossible edit. The caller of the platform receives the message. */
export class EditError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EditError';
  }
}

/** Returns a transparent picture. @throws EditError if it would exceed MAX_IMAGE_PIXELS */
export function blank(width: number, height: number): Picture {
  if (width * height > MAX_IMAGE_PIXELS) {
    throw new EditError(
      `the result would be ${width}x${height}, which is more than ${MAX_IMAGE_PIXELS / 1e6} megapixels`,
    );
  }
  return { width, height, data: new Uint8ClampedArray(width * height * 4) };
}

/** Returns a picture whose pixels are copied from another picture. `from` returns the offset of each source pixel. */
export function rearranged(
  picture: Picture,
  [width, height]: readonly [width: number, height: number],
  from: (x: number, y: number) => number,
): Picture {
  const result = blank(width, height);
  const source = words(picture);
  const target = words(result);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) target[at] = source[from(x, y)] ?? 0;
  }
  return result;
}

/** Returns a view with one 32-bit number per pixel. */
function words({ data }: Picture): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}

/** Returns the picture over an opaque background color. */
export function flattened({ width, height, data }: Picture, [red, green, blue]: Color): Picture {
  const result = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 0) / 255;
    result[at] = (data[at] ?? 0) * alpha + red * (1 - alpha);
    result[at + 1] = (data[at + 1] ?? 0) * alpha + green * (1 - alpha);
    result[at + 2] = (data[at + 2] ?? 0) * alpha + blue * (1 - alpha);
    result[at + 3] = 255;
  }
  return { width, height, data: result };
}

/** Draws a color on one pixel, with an opacity from 0 to 1. Ignores points outside the picture. */
export function paint(picture: Picture, x: number, y: number, color: Color, opacity: number): void {
  const { width, height, data } = picture;
  if (opacity <= 0 || x < 0 || y < 0 || x >= width || y >= height) return;
  const at = (y * width + x) * 4;
  const below = ((data[at + 3] ?? 0) / 255) * (1 - opacity);
  const alpha = opacity + below;
  for (let channel = 0; channel < 3; channel++) {
    data[at + channel] = ((color[channel] ?? 0) * opacity + (data[at + channel] ?? 0) * below) / alpha;
  }
  data[at + 3] = alpha * 255;
}
