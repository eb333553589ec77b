import type { Color, Picture } from './picture.ts';

/*
 * Edits that change the color of each pixel. Most are a matrix: three rows of red, green, blue, and a constant (in units of full
 * intensity). CSS filter functions of the same names use the same matrices.
 */

type Row = readonly [red: number, green: number, blue: number, constant: number];
export type ColorMatrix = readonly [Row, Row, Row];

/** Perceived brightness of red, green, and blue. */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722];
const SEPIA: ColorMatrix = [
  [0.393, 0.769, 0.189, 0],
  [0.349, 0.686, 0.168, 0],
  [0.272, 0.534, 0.131, 0],
];

export function recolor({ width, height, data }: Picture, [r, g, b]: ColorMatrix): Picture {
  const result = new Uint8ClampedArray(data.length);
  const channel = ([red, green, blue, constant]: Row, at: number): number =>
    red * (data[at] ?? 0) + green * (data[at + 1] ?? 0) + blue * (data[at + 2] ?? 0) + constant * 255;
  for (let at = 0; at < data.length; at += 4) {
    result[at] = channel(r, at);
    result[at + 1] = channel(g, at);
    result[at + 2] = channel(b, at);
    result[at + 3] = data[at + 3] ?? 0;
  }
  return { width, height, data: result };
}

/** Multiplies every color by a factor. */
export const brightness = (factor: number): ColorMatrix => scaled(factor, 0);

/** Moves colors away from mid-gray (factor above 1) or toward it (below 1). */
export const contrast = (factor: number): ColorMatrix => scaled(factor, 0.5 - factor / 2);

/** Factor 0 gives grayscale, 1 keeps the colors, and a higher factor intensifies them. */
export const saturation = (factor: number): ColorMatrix => {
  const gray = [RED * (1 - factor), GREEN * (1 - factor), BLUE * (1 - factor)] as const;
  return [
    [gray[0] + factor, gray[1], gray[2], 0],
    [gray[0], gray[1] + factor, gray[2], 0],
    [gray[0], gray[1], gray[2] + factor, 0],
  ];
};

export const sepia = (amount: number): ColorMatrix => mixed(SEPIA, amount);

export const inversion = (amount: number): ColorMatrix => scaled(1 - 2 * amount, amount);

/** Blends the picture with shades of one color. Black stays black, and white becomes the color. @param amount from 0 to 1 */
export const tint = (color: Color, amount: number): ColorMatrix => {
  const shades = color.map((value): Row => [(RED * value) / 255, (GREEN * value) / 255, (BLUE * value) / 255, 0]);
  return mixed(shades as unknown as ColorMatrix, amount);
};

/** Multiplies each channel by its own factor, like colored light. */
export const light = ([red, green, blue]: readonly [number, number, number]): ColorMatrix => [
  [red, 0, 0, 0],
  [0, green, 0, 0],
  [0, 0, blue, 0],
];

const scaled = (factor: number, constant: number): ColorMatrix => [
  [factor, 0, 0, constant],
  [0, factor, 0, constant],
  [0, 0, factor, constant],
];

/** Interpolates between the identity (0) and the matrix (1). */
function mixed(matrix: ColorMatrix, amount: number): ColorMatrix {
  const identity = scaled(1, 0);
  return matrix.map((row, at) =>
    row.map((value, column) => value * amount + (identity[at]?.[column] ?? 0) * (1 - amount)),
  ) as unknown as ColorMatrix;
}

/** Reduces each channel to evenly spaced levels. */
export function posterize({ width, height, data }: Picture, levels: number): Picture {
  const step = 255 / (levels - 1);
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => Math.round(value / step) * step);
  return { width, height, data: data.map((value, at) => (at % 4 === 3 ? value : (table[value] ?? 0))) };
}

/** Darkens the picture toward the corners, by at most `amount` (0 to 1). */
export function vignette({ width, height, data }: Picture, amount: number): Picture {
  const result = data.slice();
  const [centerX, centerY] = [(width - 1) / 2, (height - 1) / 2];
  const corner = centerX ** 2 + centerY ** 2 || 1;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const keep = 1 - amount * (((x - centerX) ** 2 + (y - centerY) ** 2) / corner);
      for (let channel = at; channel < at + 3; channel++) result[channel] = (result[channel] ?? 0) * keep;
    }
  }
  return { width, height, data: result };
}

/** Adds a random number to each pixel, the same for its three channels. It is at most `amount` (0 to 1) of full intensity, up or down. */
export function noise({ width, height, data }: Picture, amount: number, random: () => number): Picture {
  const result = data.slice();
  for (let at = 0; at < result.length; at += 4) {
    const step = (random() * 2 - 1) * amount * 255;
    for (let channel = at; channel < at + 3; channel++) result[channel] = (result[channel] ?? 0) + step;
  }
  return { width, height, data: result };
}
