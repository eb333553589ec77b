import { inflateSync } from 'node:zlib';
import { imageDimensionsFromData } from 'image-dimensions';
import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';
import type { ImageFormat } from '../../contract/imageEdit.ts';
import { MAX_IMAGE_PIXELS } from '../../contract/imageModel.ts';
import { isReadable, kindOf } from '../../machine/images/kind.ts';
import { checkSize, EditError, type Picture } from './picture.ts';
import { flip, rotate } from './pixels.ts';

/** Limits of the JPEG decoder. The memory excludes the picture itself. */
const JPEG_LIMITS = { maxResolutionInMP: MAX_IMAGE_PIXELS / 1e6, maxMemoryUsageInMB: 640 };
/** Maximum number of scans. A progressive JPEG has about ten. Even a scan of a few bytes causes a pass over all pixels. */
const MAX_SCANS = 100;
const SCAN_MARKER = Buffer.from([0xff, 0xda]);
const JPEG_QUALITY = 90;

/**
 * Decodes a PNG or a JPEG. The size in the header is checked before the data is decompressed.
 *
 * @throws EditError if the file has another format, is damaged, or is too large
 */
export function decode(bytes: Uint8Array): Picture {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = kindOf(file);
  if (!isReadable(kind)) {
    const reason = file.length === 0 ? 'it is empty' : kind === undefined ? 'its format is unknown' : `it is ${kind}`;
    throw new EditError(`the image must be a PNG or JPEG file: ${reason}`);
  }
  try {
    const size = imageDimensionsFromData(file);
    if (!size) throw new Error('no size in the header');
    checkSize(size.width, size.height, 'the image');
    return kind === 'PNG' ? pictureOfPng(file) : pictureOfJpeg(file);
  } catch (cause) {
    if (cause instanceof EditError) throw cause;
    throw new EditError(`the image cannot be read: the ${kind} file is damaged`, { cause });
  }
}

/** Encodes a picture as a file. JPEG has no transparency, so transparent pixels become white. */
export function encode({ width, height, data }: Picture, format: ImageFormat): Uint8Array {
  if (format === 'jpeg') {
    const opaque = data.map((value, at) => 255 + ((value - 255) * (data[at | 3] ?? 0)) / 255);
    return encodeJpeg({ width, height, data: opaque }, JPEG_QUALITY).data;
  }
  const file = new PNG({ width, height });
  file.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return PNG.sync.write(file);
}

/**
 * Rejects decompression bombs. The library limits its output by the size in the last header, so a file may have only one header. It does
 * not limit interlaced files. This function therefore decompresses them once, up to their maximum size.
 */
function pictureOfPng(file: Buffer): Picture {
  const packed: Buffer[] = [];
  let headers = 0;
  for (let at = 8, length = 0; at + 12 <= file.length; at += 12 + length) {
    length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') headers++;
    if (type === 'IDAT') packed.push(file.subarray(at + 8, at + 8 + length));
  }
  if (headers !== 1) throw new Error('not exactly one header');
  const [width, height, isInterlaced] = [file.readUInt32BE(16), file.readUInt32BE(20), file[28] !== 0];
  // A pixel has at most 8 bytes. Each row of each of the seven passes starts with one more byte.
  if (isInterlaced) inflateSync(Buffer.concat(packed), { maxOutputLength: width * height * 8 + 7 * height });
  return pictureOf(PNG.sync.read(file));
}

function pictureOfJpeg(file: Buffer): Picture {
  let scans = 0;
  // Scan markers never occur in compressed data. Counting the markers of a thumbnail is harmless.
  for (let at = file.indexOf(SCAN_MARKER); at >= 0; at = file.indexOf(SCAN_MARKER, at + 2)) {
    if (++scans > MAX_SCANS) throw new Error(`more than ${MAX_SCANS} scans`);
  }
  const { exifBuffer, ...decoded } = decodeJpeg(file, { ...JPEG_LIMITS, useTArray: true }) as WithExif;
  return upright(pictureOf(decoded), Buffer.from(exifBuffer ?? []));
}

/** A picture with its Exif block, which the types of the library lack. */
type WithExif = ReturnType<typeof decodeJpeg> & { readonly exifBuffer?: Uint8Array };

/** Entry for the orientation in an Exif block, in both byte orders. */
const [LITTLE_ENDIAN, BIG_ENDIAN] = [[0x12, 1, 3, 0, 1, 0, 0, 0] as const, [1, 0x12, 0, 3, 0, 0, 0, 1] as const];

/** Turns a photo by the orientation in its Exif block, which is a number from 1 to 8. */
function upright(picture: Picture, exif: Buffer): Picture {
  const [little, big] = [exif.indexOf(Buffer.from(LITTLE_ENDIAN)), exif.indexOf(Buffer.from(BIG_ENDIAN))];
  const orientation = (little >= 0 ? exif[little + 8] : big >= 0 ? exif[big + 9] : undefined) ?? 1;
  const isMirrored = [2, 4, 5, 7].includes(orientation);
  const degrees = [0, 0, 0, 180, 180, 270, 90, 90, 270][orientation] ?? 0;
  return rotate(isMirrored ? flip(picture, 'horizontally') : picture, degrees);
}

function pictureOf({ width, height, data }: { width: number; height: number; data: Uint8Array }): Picture {
  return { width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, width * height * 4) };
}
