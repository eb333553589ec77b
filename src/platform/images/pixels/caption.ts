import { EditError, paint, type Color, type Picture } from './picture.ts';

/** A bitmap font: one coverage picture, and the position of each glyph in it. Lengths are pixels at the original size. */
export interface Font {
  readonly lineHeight: number;
  readonly glyphs: Readonly<Record<string, Glyph>>;
  readonly width: number;
  /** One byte per pixel, from 0 to 255. */
  readonly coverage: Uint8Array;
}

type Glyph = readonly [
  x: number,
  y: number,
  width: number,
  height: number,
  offsetX: number,
  offsetY: number,
  advance: number,
];

export type Place = 'top' | 'middle' | 'bottom';

/** Height of a line as a fraction of the picture's height, and maximum width of a line as a fraction of the picture's width. */
const LINE_FRACTION = 0.1;
const WIDTH_FRACTION = 0.92;
/** Minimum height of a readable line, in pixels. */
const MIN_LINE_HEIGHT = 10;
/** Opacity of the band behind the text. */
const BAND_OPACITY = 0.55;

/**
 * Writes text on a dark band across the picture. Long text wraps, and shrinks if it still does not fit.
 *
 * @throws EditError if the font has no glyph for a character
 */
export function caption(source: Picture, text: string, place: Place, color: Color, font: Font): Picture {
  const picture = { ...source, data: source.data.slice() };
  const { lines, scale } = layout(text, picture, font);
  const lineHeight = font.lineHeight * scale;
  const bandHeight = Math.min(Math.ceil(lineHeight * (lines.length + 0.4)), picture.height);
  const top = { top: 0, middle: (picture.height - bandHeight) >> 1, bottom: picture.height - bandHeight }[place];
  for (let y = top; y < top + bandHeight; y++) {
    for (let x = 0; x < picture.width; x++) paint(picture, x, y, [0, 0, 0], BAND_OPACITY);
  }
  for (const [index, line] of lines.entries()) {
    const left = (picture.width - widthOf(line, font) * scale) / 2;
    writeLine(picture, line, { left, top: top + lineHeight * (index + 0.2), scale, color, font });
  }
  return picture;
}

function layout(text: string, { width, height }: Picture, font: Font): { lines: string[]; scale: number } {
  const available = width * WIDTH_FRACTION;
  const wanted = Math.max(height * LINE_FRACTION, MIN_LINE_HEIGHT) / font.lineHeight;
  const lines = wrapped(text, available / wanted, font);
  const widest = Math.max(...lines.map((line) => widthOf(line, font)), 1);
  const highest = height / (font.lineHeight * (lines.length + 0.4));
  return { lines, scale: Math.min(wanted, available / widest, highest) };
}

/** Wraps text greedily: each line holds as many words as fit. */
function wrapped(text: string, available: number, font: Font): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(longer, font) <= available) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function widthOf(line: string, font: Font): number {
  return Array.from(line).reduce((width, character) => width + glyphOf(character, font)[6], 0);
}

function glyphOf(character: string, { glyphs }: Font): Glyph {
  const glyph = Object.hasOwn(glyphs, character) ? glyphs[character] : undefined;
  if (!glyph)
    throw new EditError(
      `a caption cannot contain '${character}': the built-in font has only Western European characters`,
    );
  return glyph;
}

interface LinePosition {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
  readonly color: Color;
  readonly font: Font;
}

function writeLine(picture: Picture, line: string, { left, top, scale, color, font }: LinePosition): void {
  let pen = left;
  for (const character of line) {
    const [glyphX, glyphY, width, height, offsetX, offsetY, advance] = glyphOf(character, font);
    const [x0, y0] = [pen + offsetX * scale, top + offsetY * scale];
    for (let y = Math.floor(y0); y < y0 + height * scale; y++) {
      for (let x = Math.floor(x0); x < x0 + width * scale; x++) {
        const box = [(x - x0) / scale, (y - y0) / scale, (x + 1 - x0) / scale, (y + 1 - y0) / scale] as const;
        paint(picture, x, y, color, meanCoverage(font, [glyphX, glyphY, width, height], box));
      }
    }
    pen += advance * scale;
  }
}

/** Returns the mean coverage (0 to 1) of a box of a glyph. The area outside the glyph has no coverage. */
function meanCoverage(
  { width: stride, coverage }: Font,
  [glyphX, glyphY, width, height]: readonly [number, number, number, number],
  [left, top, right, bottom]: readonly [number, number, number, number],
): number {
  let sum = 0;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y++) {
    const rowPart = Math.min(y + 1, bottom) - Math.max(y, top);
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x++) {
      const part = rowPart * (Math.min(x + 1, right) - Math.max(x, left));
      sum += part * (coverage[(glyphY + y) * stride + glyphX + x] ?? 0);
    }
  }
  return sum / 255 / ((right - left) * (bottom - top));
}
