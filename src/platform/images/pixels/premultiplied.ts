import type { Picture } from './picture.ts';

/* Premultiplied alpha: mixed colors are weighted by their opacity. */

/** Returns each color multiplied by its opacity, followed by the opacity (0 to 1). */
export function premultiplied({ data }: Picture): Float32Array {
  const result = new Float32Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 0) / 255;
    result[at] = (data[at] ?? 0) * alpha;
    result[at + 1] = (data[at + 1] ?? 0) * alpha;
    result[at + 2] = (data[at + 2] ?? 0) * alpha;
    result[at + 3] = alpha;
  }
  return result;
}

export function unpremultiply(data: Float32Array, target: Uint8ClampedArray): void {
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    if (alpha <= 0) continue;
    target[at] = (data[at] ?? 0) / alpha;
    target[at + 1] = (data[at + 1] ?? 0) / alpha;
    target[at + 2] = (data[at + 2] ?? 0) / alpha;
    target[at + 3] = alpha * 255;
  }
}
