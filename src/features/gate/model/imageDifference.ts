import type { Pixels } from './imagePixels.ts';

/** Difference of a color channel from which a pixel differs, out of 255. Encoders round colors. */
const CHANNEL_DIFFERENCE = 2;

const DATA_URI = /^data:image\/[\w.+-]{1,100};base64,/;
/** Beginning of the Base64 text of a PNG or JPEG file. */
const BARE = /^(?:iVBORw0KGgo|\/9j\/)/;
const MIN_BARE_CHARACTERS = 64;

/** Returns the content of an image in an output: a data URI, or the Base64 text of a PNG or JPEG file. Undefined for another text. */
export function imageContent(text: string): Buffer | undefined {
  const [start] = DATA_URI.exec(text.slice(0, 200)) ?? [];
  if (start !== undefined) return Buffer.from(text.slice(start.length), 'base64');
  return text.length >= MIN_BARE_CHARACTERS && BARE.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * - `same`: the files or their pixels are equal.
 * - `pixels`: a fraction of the pixels differs.
 * - `size`: the images have other dimensions.
 * - `unknown`: the files differ, and their format cannot be decoded.
 */
export type ImageDifference =
  { readonly kind: 'same' | 'size' | 'unknown' } | { readonly kind: 'pixels'; readonly fraction: number };

/** Compares two images. PNG and JPEG files are decoded. */
export async function imageDifference(before: Buffer, after: Buffer): Promise<ImageDifference> {
  if (before.equals(after)) return { kind: 'same' };
  const { pixelsOf } = await import('./imagePixels.ts');
  const [first, second]: (Pixels | undefined)[] = [pixelsOf(before), pixelsOf(after)];
  if (!first || !second) return { kind: 'unknown' };
  if (first.width !== second.width || first.height !== second.height) return { kind: 'size' };
  const total = first.width * first.height;
  let differing = 0;
  for (let pixel = 0; pixel < total; pixel++) if (isOther(first.data, second.data, 4 * pixel)) differing++;
  return differing === 0 ? { kind: 'same' } : { kind: 'pixels', fraction: differing / total };
}

function isOther(before: Uint8Array, after: Uint8Array, at: number): boolean {
  for (let channel = at; channel < at + 4; channel++)
    if (Math.abs((before[channel] ?? 0) - (after[channel] ?? 0)) > CHANNEL_DIFFERENCE) return true;
  return false;
}
