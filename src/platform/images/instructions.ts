import type { Picture } from './picture.ts';
import { blur, flip, noise, recolor, resize, rotate, type Recoloring } from './pixels.ts';

/** One edit of a picture. The seed determines random numbers. @throws EditError if the result has no pixels or too many */
export type Edit = (picture: Picture, seed: number) => Picture;

/** One kind of edit that the model supports. */
export interface Instruction {
  readonly name: string;
  /** Pattern of the beginnings of the lowercase phrases that name the instruction, without capturing groups. */
  readonly phrases: string;
  /** @param clause lowercase text with the instruction and its parameters */
  readonly edit: (clause: string) => Edit;
}

const SLIGHT = 'slight|slightly|little|bit|touch|subtle|subtly|gentle|gently|somewhat|softly';
const STRONG = 'strong|strongly|much|lot|very|heavy|heavily|extremely|really|intensely|deeply';
const LESS = 'less|reduced?|reducing|decreased?|decreasing|lower|lowered|drop';
/** Words and numbers that are parameters of any instruction. */
export const PARAMETERS = `\\d+|${SLIGHT}|${STRONG}|${LESS}|half|left|right|upside|down`;
const PERCENT = '(?:%|per ?cent)';

/** Amounts for `slightly`, no word, and `strongly`. */
type Amounts = readonly [slight: number, normal: number, strong: number];
const GRADUAL: Amounts = [0.12, 0.25, 0.5];
const WHOLE: Amounts = [0.3, 1, 1];

const gray: Recoloring = (red, green, blue) => Array<number>(3).fill(0.2126 * red + 0.7152 * green + 0.0722 * blue);
const sepia: Recoloring = (red, green, blue) => [
  0.393 * red + 0.769 * green + 0.189 * blue,
  0.349 * red + 0.686 * green + 0.168 * blue,
  0.272 * red + 0.534 * green + 0.131 * blue,
];

/** @param most maximum amount */
const recoloring =
  (colorOf: Recoloring, amounts: Amounts, most = 1): Instruction['edit'] =>
  (clause) => {
    const amount = amountIn(clause, amounts, most);
    return (picture) => recolor(picture, colorOf, amount);
  };
const brightening = recoloring((...color) => color.map((value) => 2 * value), GRADUAL, 4);
const darkening = recoloring(() => [0, 0, 0], GRADUAL);

/** All instructions that the model understands, in `prompt` and in `negative_prompt`. */
export const INSTRUCTIONS: readonly Instruction[] = [
  {
    name: 'black and white',
    phrases: 'black ?(?:and|&)? ?white|b ?& ?w|bw|gr[ae]y ?scale|monochrom|remove (?:the )?colou?r',
    edit: recoloring(gray, WHOLE),
  },
  { name: 'sepia', phrases: 'sepia|old photo|vintage|antique', edit: recoloring(sepia, WHOLE) },
  {
    name: 'invert',
    phrases: 'invert|inverse|negative|opposite colo',
    edit: recoloring((...color) => color.map((value) => 255 - value), WHOLE),
  },
  {
    name: 'brighten',
    phrases: 'bright|lighter|lighten|more light|less light|exposure',
    edit: (clause) => (has(clause, LESS) ? darkening : brightening)(clause),
  },
  {
    name: 'darken',
    phrases: 'dark|dim(?:mer|med)?\\b',
    edit: (clause) => (has(clause, 'less') ? brightening : darkening)(clause),
  },
  {
    name: 'blur',
    phrases: 'blur|soften|defocus|out of focus|unsharp',
    edit: (clause) => {
      const radius = numberIn(clause, PERCENT) === undefined ? numberIn(clause) : undefined;
      const amount = amountIn(clause, [0.005, 0.015, 0.04]);
      // A part of the shorter side, so that the blur looks the same at every size.
      return (picture) => blur(picture, radius ?? amount * Math.min(picture.width, picture.height));
    },
  },
  {
    name: 'noise',
    phrases: 'film grain|grain|noise|noisy',
    edit: (clause) => {
      const amount = amountIn(clause, [0.06, 0.15, 0.35]);
      return (picture, seed) => noise(picture, amount, seed);
    },
  },
  {
    name: 'rotate',
    phrases:
      'rotat|spin|tilt|turn(?=.{1,40}(?:left|right|clockwise|upside|\\d ?(?:°|deg)))|(?:make|put) it upside down',
    edit: (clause) => {
      const degrees = numberIn(clause) ?? (has(clause, 'half|upside') ? 180 : has(clause, 'tilt\\w*') ? 10 : 90);
      const isLeft = has(clause, 'left|ccw|(?:counter|anti)[ -]?clockwise');
      return (picture) => rotate(picture, isLeft ? -degrees : degrees);
    },
  },
  {
    name: 'flip',
    phrases: 'flip|mirror',
    edit: (clause) => {
      const isVertical = has(clause, 'vertical|vertically|top|bottom|up|down|upside');
      return (picture) => flip(picture, isVertical ? 'vertically' : 'horizontally');
    },
  },
  {
    name: 'resize',
    phrases:
      '(?:re|down|up)?scal(?:e|ing)|resiz|shrink|enlarg|thumbnail|smaller|bigger|larger|(?:half|double|twice) the size|' +
      'make(?=.{1,20}\\d ?(?:x|×|by) ?\\d)',
    edit: resizing,
  },
];

function resizing(clause: string): Edit {
  const [, width, height] = /(\d{1,6}) ?(?:x|×|by) ?(\d{1,6})/.exec(clause) ?? [];
  if (width !== undefined) return (picture) => resize(picture, Number(width), Number(height));
  const percent = numberIn(clause, PERCENT);
  const length = numberIn(clause);
  const isLarger = has(clause, 'bigger|larger|enlarge|upscale|twice|double');
  const isSmaller = has(clause, 'smaller|shrink|reduce|downscale|down');
  const named = isLarger ? 2 : has(clause, SLIGHT) ? 0.8 : has(clause, STRONG) ? 0.25 : 0.5;
  const relative = has(clause, 'by') && (isLarger ? 1 : isSmaller ? -1 : 0);
  const change = (percent ?? 0) / 100;
  return (picture) => {
    const longer = Math.max(picture.width, picture.height);
    const factor =
      percent !== undefined
        ? relative
          ? 1 + relative * change
          : change
        : length === undefined
          ? named
          : length / longer;
    return resize(
      picture,
      Math.max(1, Math.round(picture.width * factor)),
      Math.max(1, Math.round(picture.height * factor)),
    );
  };
}

/** Returns the amount, at least 0: the percentage if there is one, otherwise that of a word such as `slightly`, otherwise the normal one. */
function amountIn(clause: string, [slight, normal, strong]: Amounts, most = 1): number {
  const percent = numberIn(clause, PERCENT);
  if (percent !== undefined) return Math.min(percent / 100, most);
  return has(clause, SLIGHT) ? slight : has(clause, 'half|halfway') ? 0.5 : has(clause, STRONG) ? strong : normal;
}

/** Returns the first number with that unit, or the first number. */
function numberIn(clause: string, unit = ''): number | undefined {
  const found = new RegExp(`(\\d{1,7}(?:\\.\\d{1,4})?) ?${unit}`).exec(clause)?.[1];
  return found === undefined ? undefined : Number(found);
}

const has = (clause: string, words: string): boolean => new RegExp(`\\b(?:${words})\\b`).test(clause);
