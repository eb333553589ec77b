import type { Colour, Picture } from './picture.ts';

/*
 * Edits that treat every pixel alike. Most are a matrix: three rows of red, green, blue and a constant (in units of full
 * intensity), as in the definitions of the CSS filter functions of the same names.
 */

type Row = readonly [red: number, green: number, blue: number, constant: number];
export type ColourMatrix = readonly [Row, Row, Row];

/** How bright the eye finds red, green and blue. */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722];
const SEPIA: ColourMatrix = [
  [0.393, 0.769, 0.189, 0],
  [0.349, 0.686, 0.168, 0],
  [0.272, 0.534, 0.131, 0],
];

export function recolour({ width, height, data }: Picture, [r, g, b]: ColourMatrix): Picture {
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

/** Every colour times a factor. */
export const brightness = (factor: number): ColourMatrix => scaled(factor, 0);

/** Colours farther from mid-grey (factor above 1) or nearer to it (below). */
export const contrast = (factor: number): ColourMatrix => scaled(factor, 0.5 - factor / 2);

/** 0: no colour is left, 1: as it is, more: stronger colours. */
export const saturation = (factor: number): ColourMatrix => {
  const grey = [RED * (1 - factor), GREEN * (1 - factor), BLUE * (1 - factor)] as const;
  return [
    [grey[0] + factor, grey[1], grey[2], 0],
    [grey[0], grey[1] + factor, grey[2], 0],
    [grey[0], grey[1], grey[2] + factor, 0],
  ];
};

export const sepia = (amount: number): ColourMatrix => mixed(SEPIA, amount);

export const inversion = (amount: number): ColourMatrix => scaled(1 - 2 * amount, amount);

/** Shades of one colour in place of the picture's own, as far as `amount` says: black stays black, white becomes the colour. */
export const tint = (colour: Colour, amount: number): ColourMatrix => {
  const shades = colour.map((value): Row => [(RED * value) / 255, (GREEN * value) / 255, (BLUE * value) / 255, 0]);
  return mixed(shades as unknown as ColourMatrix, amount);
};

/** Each channel times a factor of its own: light of another colour. */
export const light = ([red, green, blue]: readonly [number, number, number]): ColourMatrix => [
  [red, 0, 0, 0],
  [0, green, 0, 0],
  [0, 0, blue, 0],
];

const scaled = (factor: number, constant: number): ColourMatrix => [
  [factor, 0, 0, constant],
  [0, factor, 0, constant],
  [0, 0, factor, constant],
];

/** Part of the matrix, the rest the picture as it is. */
function mixed(matrix: ColourMatrix, amount: number): ColourMatrix {
  const identity = scaled(1, 0);
  return matrix.map((row, at) =>
    row.map((value, column) => value * amount + (identity[at]?.[column] ?? 0) * (1 - amount)),
  ) as unknown as ColourMatrix;
}

/** So many levels of each channel, evenly spread. */
export function posterize({ width, height, data }: Picture, levels: number): Picture {
  const step = 255 / (levels - 1);
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => Math.round(value / step) * step);
  return { width, height, data: data.map((value, at) => (at % 4 === 3 ? value : (table[value] ?? 0))) };
}

/** Darker towards the corners, where at most `amount` (0 to 1) of the light is taken. */
export function vignette({ width, height, data }: Picture, amount: number): Picture {
  const result = data.slice();
  const [centreX, centreY] = [(width - 1) / 2, (height - 1) / 2];
  const corner = centreX ** 2 + centreY ** 2 || 1;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const keep = 1 - amount * (((x - centreX) ** 2 + (y - centreY) ** 2) / corner);
      for (let channel = at; channel < at + 3; channel++) result[channel] = (result[channel] ?? 0) * keep;
    }
  }
  return { width, height, data: result };
}

/** The same random step for the three channels of a pixel, of at most `amount` (0 to 1) of the full intensity up or down. */
export function noise({ width, height, data }: Picture, amount: number, random: () => number): Picture {
  const result = data.slice();
  for (let at = 0; at < result.length; at += 4) {
    const step = (random() * 2 - 1) * amount * 255;
    for (let channel = at; channel < at + 3; channel++) result[channel] = (result[channel] ?? 0) + step;
  }
  return { width, height, data: result };
}
