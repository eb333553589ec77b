import { flip, rotate } from '../pixels/geometry.ts';
import type { Picture } from '../pixels/picture.ts';

/* Cameras store pictures as the sensor recorded them. An Exif tag contains the orientation. */

const ORIENTATION_TAG = 0x0112;
/** `II` and `MM`, the byte orders at the start of an Exif block. */
const BYTE_ORDERS: readonly number[] = [0x4949, 0x4d4d];

/** Correction for each orientation: a clockwise rotation in degrees, after an optional horizontal flip. */
const TURNS: Readonly<Record<number, readonly [degrees: number, mirrored: boolean]>> = {
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [270, true],
  6: [90, false],
  7: [90, true],
  8: [270, false],
};

/** Returns the orientation (1 to 8) in the Exif block of a JPEG, or undefined if there is none. */
export function orientationOf(exif: Uint8Array): number | undefined {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
  try {
    // The decoder may return one byte of the block's title before the data.
    const start = [0, 1].find((at) => BYTE_ORDERS.includes(view.getUint16(at)));
    if (start === undefined) return undefined;
    const littleEndian = view.getUint16(start) === 0x4949;
    const directory = start + view.getUint32(start + 4, littleEndian);
    const entries = view.getUint16(directory, littleEndian);
    for (let at = directory + 2; at < directory + 2 + entries * 12; at += 12) {
      if (view.getUint16(at, littleEndian) === ORIENTATION_TAG) return view.getUint16(at + 8, littleEndian);
    }
  } catch (error) {
    // The directory points past the end of the block. The picture is not rotated.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

export function upright(picture: Picture, orientation: number | undefined): Picture {
  const [degrees, mirrored] = TURNS[orientation ?? 1] ?? [0, false];
  return rotate(mirrored ? flip(picture, 'horizontally') : picture, degrees);
}
