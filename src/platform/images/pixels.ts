import { createCipheriv, createHash } from 'node:crypto';
import { checkSize, type Picture } from './picture.ts';

/** Returns red, green, and blue of another color, which may exceed the range from 0 to 255. */
export type Recoloring = (red: number, green: number, blue: number) => readonly number[];

/** Moves each color toward another one. @param amount 0: not at all, 1: fully */
export function recolor({ width, height, data }: Picture, colorOf: Recoloring, amount: number): Picture {
  const result = data.slice();
  for (let at = 0; at < data.length; at += 4) {
    const other = colorOf(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    for (let channel = 0; channel < 3; channel++) {
      result[at + channel] = (data[at + channel] ?? 0) * (1 - amount) + (other[channel] ?? 0) * amount;
    }
  }
  return { width, height, data: result };
}

/** Adds a random number to each pixel, the same for its three channels. It is at most `amount` (0 to 1) of full intensity, up or down. */
export function noise({ width, height, data }: Picture, amount: number, seed: number): Picture {
  // The stream of a cipher has random bytes that depend on the key only.
  const key = createHash('sha256').update(`${seed}`).digest();
  const random = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(width * height));
  const added = data.map((value, at) =>
    (at & 3) === 3 ? value : value + ((random[at >> 2] ?? 0) / 127.5 - 1) * amount * 255,
  );
  return { width, height, data: added };
}

export function flip(picture: Picture, axis: 'horizontally' | 'vertically'): Picture {
  const { width, height } = picture;
  const isHorizontal = axis === 'horizontally';
  return rearranged(picture, width, height, (x, y) => (isHorizontal ? [width - 1 - x, y] : [x, height - 1 - y]));
}

/** Rotates clockwise. Multiples of 90 degrees are lossless. Other angles enlarge the picture, and the new area is transparent. */
export function rotate(picture: Picture, degrees: number): Picture {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const width = Math.round(picture.width * Math.abs(cos) + picture.height * Math.abs(sin));
  const height = Math.round(picture.width * Math.abs(sin) + picture.height * Math.abs(cos));
  return rearranged(picture, width, height, (column, row) => {
    const [x, y] = [column + 0.5 - width / 2, row + 0.5 - height / 2];
    return [Math.floor(x * cos + y * sin + picture.width / 2), Math.floor(y * cos - x * sin + picture.height / 2)];
  });
}

/** Copies each pixel from the place in the picture that `from` returns. Places outside the picture are transparent. */
function rearranged(picture: Picture, width: number, height: number, from: (x: number, y: number) => [number, number]) {
  checkSize(width, height, 'the result');
  const source = new Uint32Array(picture.data.buffer, picture.data.byteOffset, picture.width * picture.height);
  const target = new Uint32Array(width * height);
  for (let at = 0; at < target.length; at++) {
    const [x, y] = from(at % width, Math.floor(at / width));
    if (x >= 0 && y >= 0 && x < picture.width && y < picture.height) target[at] = source[y * picture.width + x] ?? 0;
  }
  return { width, height, data: new Uint8ClampedArray(target.buffer) };
}

/** Blurs by shrinking and enlarging. @param radius in pixels, about the standard deviation of the blur */
export function blur(picture: Picture, radius: number): Picture {
  const small = (length: number): number => Math.ceil(length / (1 + radius));
  return resize(resize(picture, small(picture.width), small(picture.height)), picture.width, picture.height);
}

/**
 * Resizes with a triangle filter. The filter widens as the picture shrinks, so every source pixel contributes to the result. Opacity
 * weights the colors.
 */
export function resize(picture: Picture, width: number, height: number): Picture {
  checkSize(width, height, 'the result');
  // Each pass transposes the picture, so the second pass restores its orientation.
  const across = resample(picture.data, picture.height, picture.width, width);
  return { width, height, data: new Uint8ClampedArray(resample(across, width, picture.height, height)) };
}

/** Resamples each row to a new length, and writes it as a column. */
function resample(data: Uint8ClampedArray | Float32Array, rows: number, from: number, to: number): Float32Array {
  const result = new Float32Array(rows * to * 4);
  const reach = Math.max(1, from / to);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < to; column++) {
      const center = ((column + 0.5) * from) / to - 0.5;
      const last = Math.min(from - 1, Math.floor(center + reach));
      let [red, green, blue, opacity, total] = [0, 0, 0, 0, 0];
      for (let tap = Math.max(0, Math.ceil(center - reach)); tap <= last; tap++) {
        const at = (row * from + tap) * 4;
        const weight = 1 - Math.abs(tap - center) / reach;
        const weighted = weight * (data[at + 3] ?? 0);
        red += weighted * (data[at] ?? 0);
        green += weighted * (data[at + 1] ?? 0);
        blue += weighted * (data[at + 2] ?? 0);
        opacity += weighted;
        total += weight;
      }
      if (opacity === 0) continue;
      const at = (column * rows + row) * 4;
      result[at] = red / opacity;
      result[at + 1] = green / opacity;
      result[at + 2] = blue / opacity;
      result[at + 3] = opacity / total;
    }
  }
  return result;
}
