import names from 'color-name';
import type { Color } from '../pixels/picture.ts';

/** A token of a sentence. */
export type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** Text in quotation marks. */
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number; readonly unit: Unit | undefined }
  | { readonly kind: 'size'; readonly width: number; readonly height: number }
  | { readonly kind: 'ratio'; readonly width: number; readonly height: number }
  | { readonly kind: 'color'; readonly text: string; readonly color: Color }
  /** Boundary between two instructions. */
  | { readonly kind: 'separator'; readonly text: string };

export type Unit = 'percent' | 'pixels' | 'degrees' | 'times';

const UNITS: Readonly<Record<string, Unit>> = {
  ...{ '%': 'percent', percent: 'percent', per: 'percent' },
  ...{ px: 'pixels', pixel: 'pixels', pixels: 'pixels' },
  ...{ '°': 'degrees', deg: 'degrees', degree: 'degrees', degrees: 'degrees' },
  ...{ x: 'times', times: 'times' },
};

const SEPARATING_WORDS = new Set(['and', 'then', 'but', 'also', 'plus', 'with', 'while', 'finally', 'next']);

/** One alternative per kind of token, in order of priority. Text that matches none is skipped. */
const PATTERN = new RegExp(
  [
    String.raw`"(?<double>[^"]*)"|“(?<curly>[^”]*)”|«(?<angle>[^»]*)»|(?<![\p{L}\d])'(?<single>(?:[^']|(?<=\p{L})'(?=\p{L}))*)'(?![\p{L}\d])`,
    String.raw`#(?<hex>[0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-z])`,
    String.raw`(?<width>\d{1,6})\s?(?:x|×|by)\s?(?<height>\d{1,6})(?!\d)`,
    String.raw`(?<across>\d{1,4}):(?<down>\d{1,4})(?!\d)`,
    String.raw`(?<number>-?\d{1,7}(?:\.\d{1,4})?)\s?(?<unit>%|°|(?:percent|per cent|px|pixels?|deg|degrees?|times|x)(?![a-z]))?`,
    String.raw`(?<word>b&w|\p{L}+(?:['’]\p{L}+)?)`,
    String.raw`(?<separator>[,;.!?&+\n])`,
  ].join('|'),
  'giu',
);

export function tokensOf(sentence: string): Token[] {
  const tokens = [...sentence.matchAll(PATTERN)].map(({ groups = {} }) => tokenOf(groups as Groups));
  return tokens.flatMap((token, at) => joinedShade(token, tokens[at - 1], tokens[at + 1]));
}

const SHADES = new Set(['dark', 'light', 'medium', 'pale', 'deep', 'bright', 'hot', 'vivid']);

/** Joins a shade to the color after it: "light blue" is a color, and "a bright red border" does not mean brighten. */
function joinedShade(token: Token, before: Token | undefined, after: Token | undefined): Token[] {
  if (token.kind === 'word' && SHADES.has(token.text) && after?.kind === 'color') return [];
  if (token.kind !== 'color' || before?.kind !== 'word' || !SHADES.has(before.text)) return [token];
  const text = before.text + token.text;
  return [{ ...token, text, color: colorNamed(text) ?? token.color }];
}

type Groups = Readonly<Record<string, string | undefined>>;

function tokenOf(groups: Groups): Token {
  const { double, curly, angle, single, hex, width, height, across, down, number, unit, word, separator = '' } = groups;
  const quote = double ?? curly ?? angle ?? single;
  if (quote !== undefined) return { kind: 'quote', text: quote.trim() };
  if (hex !== undefined) return { kind: 'color', text: `#${hex}`, color: colorOfHex(hex) };
  if (width !== undefined) return { kind: 'size', width: Number(width), height: Number(height) };
  if (across !== undefined) return { kind: 'ratio', width: Number(across), height: Number(down) };
  if (number !== undefined) {
    return { kind: 'number', value: Number(number), unit: UNITS[unit?.toLowerCase().split(' ')[0] ?? ''] };
  }
  if (word !== undefined) return tokenOfWord(word.toLowerCase().replace('’', "'"));
  return { kind: 'separator', text: separator };
}

function tokenOfWord(text: string): Token {
  if (SEPARATING_WORDS.has(text)) return { kind: 'separator', text };
  const color = colorNamed(text);
  return color ? { kind: 'color', text, color } : { kind: 'word', text };
}

function colorNamed(text: string): Color | undefined {
  return Object.hasOwn(names, text) ? names[text as keyof typeof names] : undefined;
}

function colorOfHex(hex: string): Color {
  const digits = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16)) as unknown as Color;
}
