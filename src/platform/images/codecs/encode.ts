import { encode as encodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';
import type { ImageFormat } from '../../../contract/imageEdit.ts';
import { flattened, type Picture } from '../pixels/picture.ts';

const JPEG_QUALITY = 90;

/** Encodes a picture as a file. JPEG has no transparency, so transparent pixels become white. */
export function encode(picture: Picture, format: ImageFormat): Uint8Array {
  const { width, height } = picture;
  if (format === 'jpeg') return encodeJpeg(flattened(picture, [255, 255, 255]), JPEG_QUALITY).data;
  const { data } = picture;
  const file = new PNG({ width, height });
  file.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return PNG.sync.write(file);
}
