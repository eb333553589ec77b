import { blank, type Color, type Picture } from './picture.ts';

/* Edits at the edge of a picture: border and rounded corners. */

/** Adds a border around the picture, which enlarges it. */
export function border(picture: Picture, thickness: number, [red, green, blue]: Color): Picture {
  const [width, height] = [picture.width + 2 * thickness, picture.height + 2 * thickness];
  const result = blank(width, height);
  const pixel = [red, green, blue, 255];
  for (let at = 0; at < result.data.length; at += 4) result.data.set(pixel, at);
  const row = picture.width * 4;
  for (let y = 0; y < picture.height; y++) {
    const at = ((y + thickness) * width + thickness) * 4;
    result.data.set(picture.data.subarray(y * row, (y + 1) * row), at);
  }
  return result;
}

/** Makes corners of that radius transparent, with antialiased edges. */
export function roundCorners({ width, height, data }: Picture, radius: number): Picture {
  const result = data.slice();
  const reach = Math.min(Math.ceil(radius), width, height);
  for (let y = 0; y < reach; y++) {
    for (let x = 0; x < reach; x++) {
      const distance = Math.hypot(radius - x - 0.5, radius - y - 0.5);
      const keep = Math.min(Math.max(radius - distance + 0.5, 0), 1);
      if (keep === 1) continue;
      for (const row of new Set([y, height - 1 - y])) {
        for (const column of new Set([x, width - 1 - x])) {
          const at = (row * width + column) * 4 + 3;
          result[at] = Math.min(result[at] ?? 0, (data[at] ?? 0) * keep);
        }
      }
    }
  }
  return { width, height, data: result };
}
