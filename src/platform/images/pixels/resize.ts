import { blank, type Picture } from './picture.ts';
import { premultiplied, unpremultiply } from './premultiplied.ts';

/** Weights of consecutive source pixels, starting at `first`, for one pixel of the result. */
interface Taps {
  readonly first: number;
  readonly weights: Float32Array;
}

/**
 * Resizes with a triangle filter. The filter widens as the picture shrinks, so every source pixel contributes to the result. Opacity
 * weights the colors.
 */
export function resize(picture: Picture, width: number, height: number): Picture {
  if (width === picture.width && height === picture.height) return picture;
  const result = blank(width, height);
  const across = resample(premultiplied(picture), picture.height, picture.width, tapsOf(picture.width, width));
  // Each pass transposes the picture, so the second pass restores its orientation.
  unpremultiply(resample(across, width, picture.height, tapsOf(picture.height, height)), result.data);
  return result;
}

function tapsOf(from: number, to: number): Taps[] {
  const ratio = from / to;
  const reach = Math.max(1, ratio);
  return Array.from({ length: to }, (_, index) => {
    const center = (index + 0.5) * ratio - 0.5;
    const first = Math.max(0, Math.ceil(center - reach));
    const last = Math.min(from - 1, Math.floor(center + reach));
    const weights = Float32Array.from({ length: last - first + 1 }, (_, tap) =>
      Math.max(0, 1 - Math.abs(first + tap - center) / reach),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return { first, weights: weights.map((weight) => weight / sum) };
  });
}

/** Resamples each of the `rows` rows, and writes it as a column. */
function resample(data: Float32Array, rows: number, columns: number, taps: readonly Taps[]): Float32Array {
  const result = new Float32Array(rows * taps.length * 4);
  for (let row = 0; row < rows; row++) {
    for (const [column, { first, weights }] of taps.entries()) {
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      let from = (row * columns + first) * 4;
      for (const weight of weights) {
        red += weight * (data[from] ?? 0);
        green += weight * (data[from + 1] ?? 0);
        blue += weight * (data[from + 2] ?? 0);
        alpha += weight * (data[from + 3] ?? 0);
        from += 4;
      }
      const at = (column * rows + row) * 4;
      result[at] = red;
      result[at + 1] = green;
      result[at + 2] = blue;
      result[at + 3] = alpha;
    }
  }
  return result;
}
