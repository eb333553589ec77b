import {
  brightness,
  contrast,
  inversion,
  light,
  noise,
  posterize,
  recolour,
  saturation,
  sepia,
  tint,
  vignette,
  type ColourMatrix,
} from '../pixels/colour.ts';
import { amountOf, type Parameters } from '../prompt/parameters.ts';
import { clamp, percentText, type Instruction, type Step } from './instruction.ts';

/* Instructions that change colours where they are. */

/** How much words mean, for what may be doubled and more. */
const STEP = { slight: 0.12, normal: 0.25, strong: 0.5 };
/** How much words mean, for what can be done completely; without a word it is. */
const WHOLE = { slight: 0.3, normal: 1, strong: 1 };

const AMOUNT = 'how much: slightly, strongly, by 30%';
const PART = 'how much: slightly, 60%; completely without';

const recolouring = (text: string, matrix: ColourMatrix): Step => ({
  text,
  edit: (picture) => recolour(picture, matrix),
});

const brightening = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { ...STEP, most: 4 });
  return recolouring(`brighten ${percentText(amount)}`, brightness(1 + amount));
};

const darkening = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, STEP);
  return recolouring(`darken ${percentText(amount)}`, brightness(1 - amount));
};

const saturating = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { slight: 0.2, normal: 0.4, strong: 0.8, most: 4 });
  return recolouring(`saturate ${percentText(amount)}`, saturation(1 + amount));
};

const desaturating = (parameters: Parameters): Step => {
  const amount = amountOf(parameters, { slight: 0.2, normal: 0.5, strong: 0.8 });
  return recolouring(`desaturate ${percentText(amount)}`, saturation(1 - amount));
};

const lighting =
  (name: string, red: number, blue: number) =>
  (parameters: Parameters): Step => {
    const amount = amountOf(parameters, STEP);
    return recolouring(`${name} ${percentText(amount)}`, light([1 + red * amount, 1, 1 + blue * amount]));
  };

export const colourInstructions: readonly Instruction[] = [
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
        ? recolouring(`contrast -${percentText(amount)}`, contrast(1 - amount))
        : recolouring(`contrast +${percentText(amount)}`, contrast(1 + amount));
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
      return recolouring(`grayscale ${percentText(amount)}`, saturation(1 - amount));
    },
  },
  {
    name: 'sepia',
    phrases: ['sepia', 'old photo*', 'vintage', 'antique'],
    takes: PART,
    example: 'sepia, 80%',
    step: (parameters) => {
      const amount = amountOf(parameters, WHOLE);
      return recolouring(`sepia ${percentText(amount)}`, sepia(amount));
    },
  },
  {
    name: 'invert',
    phrases: ['invert*', 'inverse', 'negative', 'opposite colo*'],
    takes: PART,
    example: 'invert the colours',
    step: (parameters) => {
      const amount = amountOf(parameters, WHOLE);
      return recolouring(`invert ${percentText(amount)}`, inversion(amount));
    },
  },
  {
    name: 'tint',
    phrases: ['tint*', 'colorize*', 'colourise*', 'colorise*', 'colourize*', 'hue', 'duotone'],
    implied: ({ colour, words }) =>
      colour !== undefined && ['make', 'turn', 'paint', 'color', 'colour', 'dye'].some((verb) => words.has(verb)),
    takes: 'a colour: a CSS name or #rrggbb; how much',
    example: 'a strong teal tint',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.25, normal: 0.5, strong: 0.8 });
      const colour = parameters.colour ?? [112, 66, 20];
      return recolouring(`tint ${percentText(amount)} rgb(${colour.join(' ')})`, tint(colour, amount));
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
    takes: 'how many levels of each channel, 2 to 64; 4 without',
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
    takes: `${AMOUNT}; random, by the seed`,
    example: 'add some film grain',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.06, normal: 0.15, strong: 0.35 });
      return { text: `noise ${percentText(amount)}`, edit: (picture, { random }) => noise(picture, amount, random) };
    },
  },
];
