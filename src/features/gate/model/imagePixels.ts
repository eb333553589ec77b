import { imageDimensionsFromData } from 'image-dimensions';
import { decode } from 'jpeg-js';
import { PNG } from 'pngjs';

/** Largest image that is decoded, in pixels. */
const MAX_PIXELS = 50_000_000;
const MAX_JPEG_MB = 512;
/** Offset of the byte in the first header of a PNG that says whether it is interlaced, and of the end of this header. */
const [PNG_INTERLACE_AT, PNG_HEADER_END] = [28, 33];

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, and alpha of each pixel. */
  readonly data: Uint8Array;
}

/** Decodes a PNG or JPEG file. Undefined for another format, an interlaced PNG, a damaged file, and a very large image. */
export function pixelsOf(content: Buffer): Pixels | undefined {
  const facts = imageDimensionsFromData(content);
  if (!facts || facts.width * facts.height > MAX_PIXELS) return undefined;
  try {
    if (facts.type === 'png') return isBounded(content) ? PNG.sync.read(content) : undefined;
    if (facts.type !== 'jpeg') return undefined;
    return decode(content, { useTArray: true, maxMemoryUsageInMB: MAX_JPEG_MB });
  } catch {
    return undefined;
  }
}

/** Whether pngjs decompresses no more data than the first header declares. It does not limit interlaced files. */
function isBounded(png: Buffer): boolean {
  return png[PNG_INTERLACE_AT] === 0 && !png.includes('IHDR', PNG_HEADER_END);
}
