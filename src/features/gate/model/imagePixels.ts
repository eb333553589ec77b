import { imageDimensionsFromData } from 'image-dimensions';
import { decode } from 'jpeg-js';
import { PNG } from 'pngjs';

/** Largest image that is decoded, in pixels. */
const MAX_PIXELS = 50_000_000;
const MAX_JPEG_MB = 512;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, and alpha of each pixel. */
  readonly data: Uint8Array;
}

/** Decodes a PNG or JPEG file. Undefined for another format, a damaged file, and a very large image. */
export function pixelsOf(content: Buffer): Pixels | undefined {
  const facts = imageDimensionsFromData(content);
  if (!facts || facts.width * facts.height > MAX_PIXELS) return undefined;
  try {
    if (facts.type === 'png') return PNG.sync.read(content);
    if (facts.type !== 'jpeg') return undefined;
    return decode(content, { useTArray: true, maxMemoryUsageInMB: MAX_JPEG_MB });
  } catch {
    return undefined;
  }
}
