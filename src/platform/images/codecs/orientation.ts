import { flip, rotate } from '../pixels/geometry.ts';
import type { Picture } from '../pixels/picture.ts';

/* Cameras store pictures as the sensor had them, and say beside it how to turn them. */

const ORIENTATION_TAG = 0x0112;
/** `II` and `MM`, with which such a part begins. */
const BYTE_ORDERS: readonly number[] = [0x4949, 0x4d4d];

/** How each value is made upright: a turn clockwise in degrees, and whether it is mirrored first. */
const TURNS: Readonly<Record<number, readonly [degrees: number, mirrored: boolean]>> = {
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [270, true],
  6: [90, false],
  7: [90, true],
  8: [270, false],
};

/** The orientation in the Exif part of a JPEG (1 to 8), or undefined when it has none. */
export function orientationOf(exif: Uint8Array): number | undefined {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
  try {
    // The decoder hands over the part from somewhere behind its title on.
    const start = [0, 1].find((at) => BYTE_ORDERS.includes(view.getUint16(at)));
    if (start === undefined) return undefined;
    const littleEndian = view.getUint16(start) === 0x4949;
    const directory = start + view.getUint32(start + 4, littleEndian);
    const entries = view.getUint16(directory, littleEndian);
    for (let at = directory + 2; at < directory + 2 + entries * 12; at += 12) {
      if (view.getUint16(at, littleEndian) === ORIENTATION_TAG) return view.getUint16(at + 8, littleEndian);
    }
  } catch (error) {
    // A directory that points outside: the picture is shown as it is.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

export function upright(picture: Picture, orientation: number | undefined): Picture {
  const [degrees, mirrored] = TURNS[orientation ?? 1] ?? [0, false];
  return rotate(mirrored ? flip(picture, 'horizontally') : picture, degrees);
}
