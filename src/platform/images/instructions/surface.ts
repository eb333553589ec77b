import { caption, type Place } from '../pixels/caption.ts';
import { blur, pixelate, sharpen } from '../pixels/focus.ts';
import { border, roundCorners } from '../pixels/frame.ts';
import { EditError, type Picture } from '../pixels/picture.ts';
import { amountOf, type Side } from '../prompt/parameters.ts';
import { clamp, percentText, type Instruction } from './instruction.ts';

/* Instructions that change sharpness, or add a border or a caption. */

const MAX_BORDER = 2_000;
const MAX_CAPTION = 500;

export const surfaceInstructions: readonly Instruction[] = [
  {
    name: 'blur',
    phrases: ['blur*', 'soften*', 'defocus*', 'out of focus', 'unsharp'],
    takes: 'amount: slightly, strongly, 10%, or radius in px',
    example: 'blur it slightly',
    step: (parameters) => {
      const { pixels, number } = parameters;
      const radius = pixels ?? number;
      // A part of the shorter side, so that the blur looks the same at every size.
      const amount = amountOf(parameters, { slight: 0.005, normal: 0.015, strong: 0.04, most: 0.5 });
      return {
        text: `blur ${radius === undefined ? percentText(amount) : `${radius} px`}`,
        edit: (picture) => blur(picture, lengthOf(picture, radius, amount)),
      };
    },
  },
  {
    name: 'sharpen',
    phrases: ['sharp*', 'crisp*'],
    takes: 'amount: slightly, strongly, 150%',
    example: 'sharpen strongly',
    step: (parameters) => {
      const amount = amountOf(parameters, { slight: 0.5, normal: 1, strong: 2, most: 10 });
      return { text: `sharpen ${percentText(amount)}`, edit: (picture) => sharpen(picture, amount) };
    },
  },
  {
    name: 'pixelate',
    phrases: ['pixelat*', 'pixelize*', 'pixelise*', 'pixel art', 'mosaic', 'blocky'],
    takes: 'size of a square in px, or amount',
    example: 'pixelate in squares of 12 px',
    step: (parameters) => {
      const { pixels, number } = parameters;
      const size = pixels ?? number;
      const amount = amountOf(parameters, { slight: 0.015, normal: 0.03, strong: 0.08, most: 1 });
      return {
        text: `pixelate ${size === undefined ? percentText(amount) : `${size} px`}`,
        edit: (picture) => pixelate(picture, Math.max(2, lengthOf(picture, size, amount))),
      };
    },
  },
  {
    name: 'round corners',
    phrases: ['round corners', 'round the corners', 'round its corners', 'rounded', 'rounded corners'],
    takes: 'radius in px, or part of the shorter side; transparent in PNG, white in JPEG',
    example: 'rounded corners of 20 px',
    step: (parameters) => {
      const { pixels, number } = parameters;
      const radius = pixels ?? number;
      const amount = amountOf(parameters, { slight: 0.04, normal: 0.1, strong: 0.25, most: 0.5 });
      return {
        text: `round corners ${radius === undefined ? percentText(amount) : `${radius} px`}`,
        edit: (picture) => roundCorners(picture, lengthOf(picture, radius, amount)),
      };
    },
  },
  {
    name: 'border',
    phrases: ['border*', 'frame*', 'framed', 'outline*', 'edging'],
    takes: 'color, default: black; thickness in px, or amount',
    example: 'a red border of 10 px',
    step: (parameters) => {
      const { pixels, number, color = [0, 0, 0] as const } = parameters;
      const thickness = pixels ?? number;
      const amount = amountOf(parameters, { slight: 0.02, normal: 0.05, strong: 0.1, most: 0.5 });
      return {
        text: `border ${thickness === undefined ? percentText(amount) : `${thickness} px`} rgb(${color.join(' ')})`,
        edit: (picture) =>
          border(
            picture,
            thickness === undefined
              ? lengthOf(picture, undefined, amount)
              : clamp(Math.round(thickness), 0, MAX_BORDER),
            color,
          ),
      };
    },
  },
  {
    name: 'caption',
    phrases: ['caption*', 'text', 'title', 'subtitle', 'label*', 'write', 'words', 'saying'],
    implied: ({ quote }) => quote !== undefined,
    takes: 'text in quotation marks; top, middle, or bottom (default); color, default: white',
    example: 'caption "Hello" at the top',
    step: ({ quote, sides, color = [255, 255, 255] as const }) => {
      if (quote === undefined || quote === '') throw new EditError('the text of a caption must be in quotation marks');
      if (quote.length > MAX_CAPTION) throw new EditError(`a caption may have at most ${MAX_CAPTION} characters`);
      const place = placeOf(sides);
      return {
        text: `caption "${quote}" at the ${place} rgb(${color.join(' ')})`,
        edit: (picture, { font }) => caption(picture, quote, place, color, font()),
      };
    },
  },
];

/** Returns a length in pixels, from 1 to the shorter side. Without `pixels`, it is a part of the shorter side. */
function lengthOf({ width, height }: Picture, pixels: number | undefined, part: number): number {
  const shorter = Math.min(width, height);
  return clamp(Math.round(pixels ?? shorter * part), 1, Math.max(1, shorter));
}

function placeOf(sides: readonly Side[]): Place {
  if (sides.includes('top')) return 'top';
  return sides.includes('center') ? 'middle' : 'bottom';
}
