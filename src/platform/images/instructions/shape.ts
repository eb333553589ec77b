import { crop, flip, rotate, shuffle, type Box } from '../pixels/geometry.ts';
import { EditError, type Picture } from '../pixels/picture.ts';
import { resize } from '../pixels/resize.ts';
import { amountOf, type Parameters, type Side } from '../prompt/parameters.ts';
import { clamp, percentText, type Instruction, type Step, type Tools } from './instruction.ts';

/* Instructions that move pixels: rotate, flip, crop, resize, and shuffle. */

/** Default parts of each side that a crop removes. */
const CROPPED = { slight: 0.1, normal: 0.2, strong: 0.4, most: 0.95 };
const SMALLER = ['smaller', 'shrink', 'shrunk', 'shrinking', 'reduce', 'downscale', 'down'];

export const shapeInstructions: readonly Instruction[] = [
  {
    name: 'rotate',
    phrases: ['rotat*', 'spin', 'tilt*'],
    implied: ({ words, degrees, clockwise }) =>
      (words.has('upside') && words.has('down')) ||
      (words.has('turn') && (degrees !== undefined || clockwise !== undefined)),
    takes: 'angle in degrees, default: 90; left or right (clockwise), default: right; random',
    example: 'rotate it 90 degrees left',
    step: (parameters) => {
      const { random, clockwise = true, words } = parameters;
      if (random && parameters.degrees === undefined) {
        return { text: 'rotate randomly', edit: (picture, tools) => rotate(picture, Math.floor(tools.random() * 360)) };
      }
      const degrees = parameters.degrees ?? parameters.number ?? (words.has('tilt') ? 10 : 90);
      const turn = clockwise ? degrees : -degrees;
      return { text: `rotate ${turn} degrees`, edit: (picture) => rotate(picture, turn) };
    },
  },
  {
    name: 'flip',
    phrases: ['flip*', 'mirror*'],
    takes: 'horizontally or vertically; default: horizontally',
    example: 'flip it vertically',
    step: ({ axis = 'horizontally' }) => ({ text: `flip ${axis}`, edit: (picture) => flip(picture, axis) }),
  },
  {
    name: 'crop',
    phrases: ['crop*', 'trim*', 'cut'],
    implied: ({ words }) => words.has('square'),
    takes:
      'size (300x200), ratio (16:9, square), part (the left half), or amount; position: a side, the center, or random',
    example: 'crop a random 64x64 part',
    step: cropStep,
  },
  {
    name: 'resize',
    phrases: [
      ...['resiz*', 'scale*', 'scaling', 'rescal*', 'downscal*', 'upscal*', 'shrink*', 'enlarg*', 'thumbnail'],
      ...['smaller', 'bigger', 'larger', 'half the size', 'double the size', 'twice the size'],
    ],
    implied: ({ size, words }) => size !== undefined && words.has('make'),
    takes: 'size (512x512), width, height, or longer side in px, or factor (50%, twice)',
    example: 'resize to 512x512',
    step: resizeStep,
  },
  {
    name: 'shuffle',
    phrases: ['shuffl*', 'scrambl*', 'jumbl*'],
    takes: 'tile size in px, default: an eighth of the shorter side; the seed determines the order',
    example: 'shuffle in tiles of 32 px',
    step: ({ pixels, number }) => {
      const wanted = pixels ?? number;
      return {
        text: `shuffle ${wanted === undefined ? 'eighths' : `${wanted} px`}`,
        edit: (picture, { random }) => {
          const shorter = Math.min(picture.width, picture.height);
          return shuffle(picture, clamp(Math.round(wanted ?? shorter / 8), 1, shorter), random);
        },
      };
    },
  },
];

function cropStep(parameters: Parameters): Step {
  const { size, ratio, words, sides, random } = parameters;
  const at = (width: number, height: number, picture: Picture, tools: Tools): Picture =>
    crop(picture, placed(picture, width, height, random ? tools.random : sides));
  const where = random ? ' at random' : sides.length > 0 ? ` at ${sides.join(' ')}` : '';
  if (size) {
    const edit: Step['edit'] = (picture, tools) =>
      at(Math.min(size.width, picture.width), Math.min(size.height, picture.height), picture, tools);
    if (size.width * size.height === 0) throw new EditError('a crop must leave at least one pixel');
    return { text: `crop ${size.width}x${size.height}${where}`, edit };
  }
  const shape = ratio ?? (words.has('square') ? { width: 1, height: 1 } : undefined);
  if (shape) {
    if (shape.width * shape.height === 0) throw new EditError('both numbers of a ratio must be above 0');
    const edit: Step['edit'] = (picture, tools) => {
      const width = Math.min(picture.width, (picture.height * shape.width) / shape.height);
      return at(atLeastOne(width), atLeastOne((width * shape.height) / shape.width), picture, tools);
    };
    return { text: `crop ${shape.width}:${shape.height}${where}`, edit };
  }
  return cropPart(parameters, where, at);
}

/** Crops by a part of both dimensions, or to a part of the named side, such as "the left half". */
function cropPart(
  parameters: Parameters,
  where: string,
  at: (width: number, height: number, picture: Picture, tools: Tools) => Picture,
): Step {
  const { words, sides, percent } = parameters;
  const part = [...Object.entries({ half: 1 / 2, third: 1 / 3, quarter: 1 / 4 })].find(([word]) =>
    words.has(word),
  )?.[1];
  const left = part ?? (percent !== undefined && words.has('to') ? clamp(percent / 100, 0.01, 1) : undefined);
  const keep = left ?? 1 - amountOf({ ...parameters, degree: parameters.degree }, CROPPED);
  const across = part === undefined || !sides.some((side) => side === 'top' || side === 'bottom');
  const down = part === undefined || !sides.some((side) => side === 'left' || side === 'right');
  return {
    text: `crop to ${percentText(keep)}${where}`,
    edit: (picture, tools) => {
      const width = across ? atLeastOne(picture.width * keep) : picture.width;
      return at(width, down ? atLeastOne(picture.height * keep) : picture.height, picture, tools);
    },
  };
}

/** Returns a box of that size in the picture: at the given sides, at a random position, or centered by default. */
function placed(picture: Picture, width: number, height: number, where: readonly Side[] | (() => number)): Box {
  const [spareX, spareY] = [picture.width - width, picture.height - height];
  if (typeof where === 'function') {
    return { x: Math.floor(where() * (spareX + 1)), y: Math.floor(where() * (spareY + 1)), width, height };
  }
  const along = (spare: number, start: Side, end: Side): number =>
    where.includes(start) ? 0 : where.includes(end) ? spare : spare >> 1;
  return { x: along(spareX, 'left', 'right'), y: along(spareY, 'top', 'bottom'), width, height };
}

function resizeStep(parameters: Parameters): Step {
  const { size, words } = parameters;
  if (size) {
    if (size.width * size.height === 0) throw new EditError('a picture must be at least one pixel wide and high');
    const text = `resize ${size.width}x${size.height}`;
    return { text, edit: (picture) => resize(picture, size.width, size.height) };
  }
  const length = parameters.pixels ?? parameters.number;
  if (length !== undefined) {
    if (length < 1) throw new EditError('a picture must be at least one pixel wide and high');
    const side = sideNamed(words);
    return {
      text: `resize ${side} ${length} px`,
      edit: (picture) => {
        const { width, height } = picture;
        const present = { width, height, longer: Math.max(width, height) }[side];
        return scaled(picture, Math.round(length) / present);
      },
    };
  }
  const factor = factorOf(parameters);
  return { text: `resize ${percentText(factor)}`, edit: (picture) => scaled(picture, factor) };
}

function sideNamed(words: ReadonlySet<string>): 'width' | 'height' | 'longer' {
  if (words.has('wide') || words.has('width')) return 'width';
  return words.has('high') || words.has('height') || words.has('tall') ? 'height' : 'longer';
}

function factorOf({ percent, times, degree, words }: Parameters): number {
  const smaller = SMALLER.some((word) => words.has(word)) || words.has('thumbnail');
  const larger = ['enlarge', 'bigger', 'larger', 'upscale'].some((word) => words.has(word));
  if (percent !== undefined) {
    const change = Math.abs(percent) / 100;
    if (!words.has('to') && words.has('by') && (smaller || larger))
      return clamp(smaller ? 1 - change : 1 + change, 0.01, 8);
    return clamp(change, 0.01, 8);
  }
  if (times !== undefined) return clamp(smaller ? 1 / times : times, 0.01, 8);
  if (degree === 'half') return 0.5;
  const change = { slight: 0.8, strong: 0.25, full: 0.5, half: 0.5 }[degree ?? 'full'];
  return larger ? 1 / change : change;
}

function scaled(picture: Picture, factor: number): Picture {
  return resize(picture, atLeastOne(picture.width * factor), atLeastOne(picture.height * factor));
}

const atLeastOne = (length: number): number => Math.max(1, Math.round(length));
