import { blank, rearranged, type Picture } from './picture.ts';
import { premultiplied, unpremultiply } from './premultiplied.ts';

/* Edits that mix neighboring pixels: blur, sharpen, and pixelate. */

/** Number of moving averages. Three of them approximate a Gaussian blur within a few percent, at a cost independent of the radius. */
const PASSES = 3;

/** @param radius of each mean, in pixels; about the standard deviation of the blur */
export function blur(picture: Picture, radius: number): Picture {
  const { width, height } = picture;
  const data = premultiplied(picture);
  // Reuses two buffers in turn: at the maximum picture size, each takes 384 MB.
  const turned = new Float32Array(data.length);
  for (let pass = 0; pass < PASSES; pass++) {
    means(data, turned, [height, width], radius);
    means(turned, data, [width, height], radius);
  }
  const result = blank(width, height);
  unpremultiply(data, result.data);
  return result;
}

/** Number of rows processed together. One of their columns is contiguous in the result, which makes good use of the CPU cache. */
const BAND = 16;

/** Writes the mean of each pixel's neighbors in its row, transposed to columns. Repeats the edge pixel beyond an edge. */
function means(
  data: Float32Array,
  result: Float32Array,
  [rows, columns]: readonly [rows: number, columns: number],
  radius: number,
): void {
  const size = 2 * radius + 1;
  const sums = new Float64Array(BAND * 4);
  const within = (column: number): number => Math.min(Math.max(column, 0), columns - 1);
  for (let first = 0; first < rows; first += BAND) {
    const band = Math.min(BAND, rows - first);
    sums.fill(0);
    for (let column = -radius; column <= radius; column++) {
      for (let row = 0; row < band; row++) {
        const from = ((first + row) * columns + within(column)) * 4;
        for (let channel = 0; channel < 4; channel++) {
          sums[row * 4 + channel] = (sums[row * 4 + channel] ?? 0) + (data[from + channel] ?? 0);
        }
      }
    }
    for (let column = 0; column < columns; column++) {
      const [entering, leaving] = [within(column + radius + 1) * 4, within(column - radius) * 4];
      for (let row = 0; row < band; row++) {
        const start = (first + row) * columns * 4;
        const to = (column * rows + first + row) * 4;
        for (let channel = 0; channel < 4; channel++) {
          const sum = sums[row * 4 + channel] ?? 0;
          result[to + channel] = sum / size;
          sums[row * 4 + channel] =
            sum + ((data[start + entering + channel] ?? 0) - (data[start + leaving + channel] ?? 0));
        }
      }
    }
  }
}

/** Applies an unsharp mask: adds the difference from a blurred picture, times `amount`. */
export function sharpen(picture: Picture, amount: number): Picture {
  const { width, height, data } = picture;
  const blurred = blur(picture, 1).data;
  const sharp = data.map((value, at) => (at % 4 === 3 ? value : value + amount * (value - (blurred[at] ?? 0))));
  return { width, height, data: sharp };
}

/** Replaces each square by its mean color. Squares at the right and bottom edges may be smaller. */
export function pixelate(picture: Picture, size: number): Picture {
  const { width, height } = picture;
  const small = meansOfSquares(picture, size);
  return rearranged(small, [width, height], (x, y) => Math.floor(y / size) * small.width + Math.floor(x / size));
}

/** Returns a picture with one pixel per square. */
function meansOfSquares({ width, height, data }: Picture, size: number): Picture {
  const small = blank(Math.ceil(width / size), Math.ceil(height / size));
  const sums = new Float64Array(small.data.length);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const square = (Math.floor(y / size) * small.width + Math.floor(x / size)) * 4;
      const alpha = data[at + 3] ?? 0;
      for (let channel = 0; channel < 3; channel++) {
        sums[square + channel] = (sums[square + channel] ?? 0) + (data[at + channel] ?? 0) * alpha;
      }
      sums[square + 3] = (sums[square + 3] ?? 0) + alpha;
    }
  }
  for (let square = 0; square < sums.length; square += 4) {
    const alpha = sums[square + 3] ?? 0;
    if (alpha === 0) continue;
    const [column, row] = [(square / 4) % small.width, Math.floor(square / 4 / small.width)];
    const pixels = Math.min(size, width - column * size) * Math.min(size, height - row * size);
    for (let channel = 0; channel < 3; channel++) small.data[square + channel] = (sums[square + channel] ?? 0) / alpha;
    small.data[square + 3] = alpha / pixels;
  }
  return small;
}
