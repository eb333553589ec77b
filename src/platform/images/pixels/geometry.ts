import { blank, rearranged, type Picture } from './picture.ts';
import { blended } from './blended.ts';

/* Edits that move pixels: crop, flip, rotate, and shuffle. */

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the part of the picture in the box. The box must be inside the picture. */
export function crop(picture: Picture, { x: left, y: top, width, height }: Box): Picture {
  return rearranged(picture, [width, height], (x, y) => (y + top) * picture.width + x + left);
}

export function flip(picture: Picture, axis: 'horizontally' | 'vertically'): Picture {
  const { width, height } = picture;
  return rearranged(picture, [width, height], (x, y) =>
    axis === 'horizontally' ? y * width + (width - 1 - x) : (height - 1 - y) * width + x,
  );
}

/** Rotates clockwise. Multiples of 90 degrees are lossless. Other angles enlarge the picture, and the new area is transparent. */
export function rotate(picture: Picture, degrees: number): Picture {
  const { width, height } = picture;
  const turn = ((degrees % 360) + 360) % 360;
  switch (turn) {
    case 0:
      return picture;
    case 90:
      return rearranged(picture, [height, width], (x, y) => (height - 1 - x) * width + y);
    case 180:
      return rearranged(picture, [width, height], (x, y) => (height - 1 - y) * width + (width - 1 - x));
    case 270:
      return rearranged(picture, [height, width], (x, y) => x * width + (width - 1 - y));
    default:
      return rotateFreely(picture, (turn * Math.PI) / 180);
  }
}

function rotateFreely(picture: Picture, angle: number): Picture {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [width, height] = [picture.width, picture.height];
  const result = blank(
    Math.round(width * Math.abs(cos) + height * Math.abs(sin)),
    Math.round(width * Math.abs(sin) + height * Math.abs(cos)),
  );
  for (let y = 0, at = 0; y < result.height; y++) {
    const v = y + 0.5 - result.height / 2;
    for (let x = 0; x < result.width; x++, at += 4) {
      const u = x + 0.5 - result.width / 2;
      blended(picture, u * cos + v * sin + width / 2 - 0.5, v * cos - u * sin + height / 2 - 0.5, result.data, at);
    }
  }
  return result;
}

/** Shuffles tiles of that size. Pixels outside complete tiles stay in place. */
export function shuffle(picture: Picture, tile: number, random: () => number): Picture {
  const { width, height } = picture;
  const [columns, rows] = [Math.floor(width / tile), Math.floor(height / tile)];
  const order = shuffled(columns * rows, random);
  return rearranged(picture, [width, height], (x, y) => {
    const [column, row] = [Math.floor(x / tile), Math.floor(y / tile)];
    const from = column < columns && row < rows ? order[row * columns + column] : undefined;
    if (from === undefined) return y * width + x;
    return (Math.floor(from / columns) * tile + (y % tile)) * width + (from % columns) * tile + (x % tile);
  });
}

/** Returns the numbers below `count` in random order (Fisher–Yates shuffle). */
function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}
