import type { Picture } from './picture.ts';

/**
 * Writes the bilinear interpolation of four pixels. Pixels outside the picture are transparent. Opacity weights the colors, so invisible
 * pixels do not bleed into edges.
 */
export function blended(
  { width, height, data }: Picture,
  x: number,
  y: number,
  target: Uint8ClampedArray,
  at: number,
): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const [column, row] = [left + (corner & 1), top + (corner >> 1)];
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const from = (row * width + column) * 4;
    const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row)) * (data[from + 3] ?? 0);
    red += weight * (data[from] ?? 0);
    green += weight * (data[from + 1] ?? 0);
    blue += weight * (data[from + 2] ?? 0);
    alpha += weight;
  }
  if (alpha === 0) return;
  target[at] = red / alpha;
  target[at + 1] = green / alpha;
  target[at + 2] = blue / alpha;
  target[at + 3] = alpha;
}
