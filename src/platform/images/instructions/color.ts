import {
  brightness,
  contrast,
  inversion,
  light,
  noise,
  posterize,
  recolor,
  saturation,
  sepia,
  tint,
  vignette,
  type ColorMatrix,
} from '../pixels/color.ts';
import { amountOf, type Parameters } from '../prompt/parameters.ts';
import { clamp, percentText, type Instruction, type Step } from './instruction.ts';

/* Instructions that change the color of each pixel. */

/** Default amounts of gradual edits, such as brightness. */
const STEP = { slight: 0.12, normal: 0.25, strong: 0.5 };
/** Default amounts of edits that can be complete, such as grayscale. Without an amount, the edit is complete. */
const WHOLE = { slight: 0.3, normal: 1, strong: 1 };

const AMOUNT = 'amount: slightly, strongly, by 30%';
const PART = 'amount: slightly, 60%; default: completely';

const recoloring = (text: string, matrix: ColorMatrix): Step => ({
  text,
  edit: (picture) => recolor(picture, matrix),
});

const brightening = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { ...STEP, most: 4 });
  return recoloring(`brighten ${percentText(amount)}`, brightness(1 + amount));
};

const darkening = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, STEP);
  return recoloring(`darken ${percentText(amount)}`, brightness(1 - amount));
};

const saturating = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { slight: 0.2, normal: 0.4, strong: 0.8, most: 4 });
  return recoloring(`saturate ${percentText(amount)}`, saturation(1 + amount));
};

const desaturating = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { slight: 0.2, normal: 0.5, strong: 0.8 });
  return recoloring(`desaturate ${percentText(amount)}`, saturation(1 - amount));
};

const lighting =
  (name: string, red: number, blue: number) =>
  (parameters: Parameters): Step => {
    const amount = amountOf(parameters, STEP);
    return recoloring(`${name} ${percentText(amount)}`, light([1 + red * amount, 1, 1 + blue * amount]));
  };

export const colorInstructions: readonly Instruction[] = [
  {
    name: 'brighten',
    phrases: ['brighten*', 'brighter', 'bright', 'brightness', 'lighter', 'lighten*', 'more light', 'exposure'],
    takes: AMOUNT,
    example: 'brighten it by 30%',
    step: (parameters) => (parameters.less ? darkening(parameters) : brightening(parameters)),
  },
  {
    name: 'darken',
    phrases: ['darken*', 'darker', 'dark', 'dim', 'dimmer', 'dimmed', 'less light'],
    takes: AMOUNT,
    example: 'make it slightly darker',
    step: (parameters) => (parameters.words.has('less') ? brightening(parameters) : darkening(parameters)),
  },
  {
    name: 'contrast',
    phrases: ['contrast*'],
    takes: `${AMOUNT}; more or less`,
    example: 'reduce the contrast by 20%',
    step: (parameters) => {
      const amount = amountOf(parameters, { ...STEP, most: parameters.less ? 1 : 4 });
      return parameters.less
        ? recoloring(`contrast -${percentText(amount)}`, contrast(1 - amount))
        : recoloring(`contrast +${percentText(amount)}`, contrast(1 + amount));
    },
  },
  {
    name: 'saturate',
    phrases: ['saturat*', 'vivid', 'vibran*', 'colorful', 'colourful', 'more color', 'more colour', 'richer colo*'],
    takes: AMOUNT,
    example: 'much more vivid',
    step: (parameters) => (parameters.less ? desaturating(parameters) : saturating(parameters)),
  },
  {
    name: 'desaturate',
    phrases: ['desaturat*', 'muted', 'faded', 'fade', 'washed out', 'less color', 'less colour', 'less colors'],
    takes: AMOUNT,
    example: 'desaturate by half',
    step: desaturating,
  },
  {
    name: 'grayscale',
    phrases: [
      ...['grayscale', 'greyscale', 'gray scale', 'grey scale', 'monochrom*', 'b&w', 'bw', 'remove the color*'],
      ...['black and white', 'black & white', 'black white', 'remove the colour*', 'remove color*', 'remove colour*'],
    ],
    takes: PART,
    example: 'make it black and white',
    step: (parameters) => {
      const amount = amountOf(parameters, WHOLE);
      return recoloring(`grayscale ${percentText(amount)}`, saturation(1 - amount));
    },
  },
  {
    name: 'sepia',
    phrases: ['sepia', 'old photo*', 'vintage', 'antique'],
    takes: PART,
    example: 'sepia, 80%',
    step: (parameters) => {
      const amount = amountOf(parameters, WHOLE);
      return recoloring(`sepia ${percentText(amount)}`, sepia(amount));
    },
  },
  {
    name: 'invert',
    phrases: ['invert*', 'inverse', 'negative', 'opposite colo*'],
    takes: PART,
    example: 'invert the colors',
    step: (parameters) => {
      const amount = amountOf(parameters, WHOLE);
      return recoloring(`invert ${percentText(amount)}`, inversion(amount));
    },
  },
  {
    name: 'tint',
    phrases: ['tint*', 'colorize*', 'colourise*', 'colorise*', 'colourize*', 'hue', 'duotone'],
    implied: ({ color, words }) =>
      color !== undefined && ['make', 'turn', 'paint', 'color', 'colour', 'dye'].some((verb) => words.has(verb)),
    takes: 'color: a CSS name or #rrggbb; amount',
    example: 'a strong teal tint',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.25, normal: 0.5, strong: 0.8 });
      const color = parameters.color ?? [112, 66, 20];
      return recoloring(`tint ${percentText(amount)} rgb(${color.join(' ')})`, tint(color, amount));
    },
  },
  {
    name: 'warm',
    phrases: ['warm', 'warmer', 'warm up'],
    takes: AMOUNT,
    example: 'a little warmer',
    step: lighting('warm', 0.6, -0.6),
  },
  {
    name: 'cool',
    phrases: ['cool', 'cooler', 'colder', 'cold'],
    takes: AMOUNT,
    example: 'cooler by 20%',
    step: lighting('cool', -0.6, 0.6),
  },
  {
    name: 'posterize',
    phrases: ['posteri*', 'poster', 'quantize'],
    takes: 'levels of each channel, 2 to 64; default: 4',
    example: 'posterize to 6 levels',
    step: ({ number = 4 }) => {
      const levels = clamp(Math.round(number), 2, 64);
      return { text: `posterize ${levels} levels`, edit: (picture) => posterize(picture, levels) };
    },
  },
  {
    name: 'vignette',
    phrases: ['vignett*', 'dark corners', 'darken the corners', 'darker corners'],
    takes: AMOUNT,
    example: 'a strong vignette',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.3, normal: 0.6, strong: 0.9 });
      return { text: `vignette ${percentText(amount)}`, edit: (picture) => vignette(picture, amount) };
    },
  },
  {
    name: 'noise',
    phrases: ['noise', 'noisy', 'grain', 'grainy', 'film grain'],
    takes: `${AMOUNT}; the seed determines the noise`,
    example: 'add some film grain',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.06, normal: 0.15, strong: 0.35 });
      return { text: `noise ${percentText(amount)}`, edit: (picture, { random }) => noise(picture, amount, random) };
    },
  },
];
