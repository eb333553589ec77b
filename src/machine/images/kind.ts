/* Detects the format of a file by its first bytes, because file names and content types are unreliable. */

export type ReadableKind = 'PNG' | 'JPEG';

const READABLE: readonly string[] = ['PNG', 'JPEG'] satisfies ReadableKind[];

/** Formats with the pattern of their first bytes, as Latin-1 characters. */
const BEGINNINGS: readonly (readonly [kind: string, beginning: RegExp])[] = [
  ['PNG', /^\x89PNG\r\n\x1a\n/],
  ['JPEG', /^\xff\xd8\xff/],
  ['GIF', /^GIF8[79]a/],
  ['WebP', /^RIFF....WEBP/s],
  ['AVIF', /^....ftypavi[fs]/s],
  ['HEIC', /^....ftyp(hei[cmsx]|hev[cmsx]|mif1|msf1)/s],
  ['BMP', /^BM....\0\0\0\0/s],
  ['TIFF', /^(II\*\0|MM\0\*)/],
  ['ICO', /^\0\0\x01\0/],
  ['JPEG XL', /^(\xff\x0a|\0\0\0\x0cJXL )/],
  ['PDF', /^%PDF-/],
  ['SVG', /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i],
  ['an HTML page', /^(\xef\xbb\xbf)?\s*<(!doctype html|html|head|body)[\s>]/i],
  ['JSON', /^\s*[[{]\s*["}\]{[0-9]/],
];

/** Number of bytes to examine. */
const EXAMINED_BYTES = 512;

/** Returns the format of a file, or undefined if it is unknown. */
export function kindOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, EXAMINED_BYTES)).toString('latin1');
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0];
}

export const isReadable = (kind: string | undefined): kind is ReadableKind =>
  kind !== undefined && READABLE.includes(kind);
