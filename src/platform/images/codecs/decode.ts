import { inflateSync } from 'node:zlib';
import { imageDimensionsFromData } from 'image-dimensions';
import { decode as decodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';
import { MAX_IMAGE_PIXELS } from '../../../contract/imageEdit.ts';
import { EditError, type Picture } from '../pixels/picture.ts';
import { decodeGif } from './gif.ts';
import { isReadable, kindOf, type ReadableKind } from '../../../machine/images/kind.ts';
import { orientationOf, upright } from './orientation.ts';

/** Memory limit of the JPEG decoder, in megabytes, excluding the picture itself. */
const JPEG_MEMORY_MB = 640;

/** Maximum number of scans. A progressive JPEG has about ten. Even a scan of a few bytes causes a pass over all pixels. */
const MAX_SCANS = 100;

/**
 * Decodes a PNG, a JPEG, or the first frame of a GIF. The size in the header is checked before the data is decompressed.
 *
 * @throws EditError if the file has another format, is damaged, or is too large
 */
export function decode(bytes: Uint8Array): Picture {
  const kind = kindOf(bytes);
  if (!isReadable(kind)) {
    const reason = bytes.length === 0 ? 'it is empty' : kind === undefined ? 'its format is unknown' : `it is ${kind}`;
    throw new EditError(`the image must be a PNG, JPEG, or GIF file: ${reason}`);
  }
  try {
    checkSize(bytes, kind);
    return DECODERS[kind](bytes);
  } catch (error) {
    if (error instanceof EditError) throw error;
    throw new EditError(`the image cannot be read: the ${kind} file is damaged`, { cause: error });
  }
}

function checkSize(bytes: Uint8Array, kind: ReadableKind): void {
  const size = imageDimensionsFromData(bytes);
  if (!size) throw new Error(`no size in the header of the ${kind}`);
  const { width, height } = size;
  if (width * height === 0) throw new EditError('the image is empty: it has no pixels');
  if (width * height > MAX_IMAGE_PIXELS) {
    throw new EditError(`the image is too large: ${width}x${height} is more than ${MAX_IMAGE_PIXELS / 1e6} megapixels`);
  }
}

const DECODERS: Readonly<Record<ReadableKind, (bytes: Uint8Array) => Picture>> = {
  PNG: (bytes) => {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    rejectBomb(file);
    const { width, height, data } = PNG.sync.read(file);
    return { width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, width * height * 4) };
  },
  JPEG: (bytes) => {
    rejectManyScans(bytes);
    const { width, height, data, exifBuffer } = decodeJpeg(bytes, {
      useTArray: true,
      formatAsRGBA: true,
      maxResolutionInMP: MAX_IMAGE_PIXELS / 1e6,
      maxMemoryUsageInMB: JPEG_MEMORY_MB,
    }) as ReturnType<typeof decodeJpeg> & { exifBuffer?: Uint8Array };
    const picture = { width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, width * height * 4) };
    return upright(picture, exifBuffer && orientationOf(exifBuffer));
  },
  GIF: decodeGif,
};

/**
 * Rejects decompression bombs. The library limits its output by the size in the last header, so a file may have only one header. It does
 * not limit interlaced files. This function therefore decompresses them once, up to their maximum size.
 */
function rejectBomb(file: Buffer): void {
  const chunks = chunksOf(file);
  if (chunks.filter(({ type }) => type === 'IHDR').length !== 1) throw new Error('more than one header');
  const [width, height, interlaced] = [file.readUInt32BE(16), file.readUInt32BE(20), file[28] !== 0];
  if (!interlaced) return;
  // A pixel has at most 8 bytes. Each row of each of the seven passes starts with one more byte.
  const maxOutputLength = width * height * 8 + 7 * height;
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  inflateSync(Buffer.concat(packed), { maxOutputLength });
}

/** Rejects files with too many scans. Scan markers never occur in compressed data. Counting the markers of a thumbnail is harmless. */
function rejectManyScans(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let scans = 0;
  for (let at = file.indexOf(SCAN_MARKER); at >= 0; at = file.indexOf(SCAN_MARKER, at + 2)) {
    if (++scans > MAX_SCANS) throw new Error(`more than ${MAX_SCANS} scans`);
  }
}

const SCAN_MARKER = Buffer.from([0xff, 0xda]);

function chunksOf(file: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  let length = 0;
  for (let at = 8; at + 12 <= file.length; at += 12 + length) {
    length = file.readUInt32BE(at);
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) });
  }
  return chunks;
}
