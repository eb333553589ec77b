/** A color of the text of a log. Themes define how each one looks. */
export type AnsiColor = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray';

/** The state of a terminal that decides the color of its text. */
export interface AnsiStyle {
  readonly color: AnsiColor | undefined;
  readonly isDim: boolean;
}

export const DEFAULT_STYLE: AnsiStyle = { color: undefined, isDim: false };

/** Returns the color in which a style is shown. Dim text without a color is gray. */
export function shownColor({ color, isDim }: AnsiStyle): AnsiColor | undefined {
  return color ?? (isDim ? 'gray' : undefined);
}

/** A sequence that selects colors and other attributes of text (SGR). */
const ATTRIBUTES = /^(?:\u001b\[|\u009b)([\d;:]*)m$/;
/** Maximum number of parameters that are read. */
const MAX_PARAMETERS = 64;

/** Returns the style after a control sequence. Sequences that are not about color leave it unchanged. */
export function styleAfter(style: AnsiStyle, sequence: string): AnsiStyle {
  const parameters = ATTRIBUTES.exec(sequence)?.[1];
  if (parameters === undefined) return style;
  const values = parameters.split(';').slice(0, MAX_PARAMETERS);
  let after = style;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? '';
    // With colons, a color and its arguments are one parameter. Subparameters may be empty, as in `38:2::255:0:0`.
    if (value.includes(':')) {
      after = withExtended(
        after,
        value
          .split(':')
          .filter((part) => part !== '')
          .map(Number),
      );
      continue;
    }
    const code = Number(value);
    if (code !== FOREGROUND && code !== BACKGROUND) {
      after = withCode(after, code);
      continue;
    }
    const length = values[index + 1] === '5' ? 3 : 5;
    after = withExtended(after, values.slice(index, index + length).map(Number));
    index += length - 1;
  }
  return after;
}

const FOREGROUND = 38;
const BACKGROUND = 48;

function withCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return DEFAULT_STYLE;
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isDim: false };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 30 && code <= 37) return { ...style, color: BASIC[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, color: BRIGHT[code - 90] };
  return style;
}

/** @param parameters a color of the palette of 256, as `38 5 n`, or of RGB, as `38 2 r g b`. The colon form can contain a color space. */
function withExtended(style: AnsiStyle, parameters: readonly number[]): AnsiStyle {
  const [target, kind, ...values] = parameters;
  if (target !== FOREGROUND) return style;
  if (kind === 5) return { ...style, color: paletteColor(values[0] ?? 0) };
  const [red = 0, green = 0, blue = 0] = values.slice(-3);
  return kind === 2 ? { ...style, color: nearestColor(red, green, blue) } : style;
}

/** The colors 0 to 7. Black and white are the colors of the background and the text, so they have no color of their own. */
const BASIC: readonly (AnsiColor | undefined)[] = [
  undefined,
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  undefined,
];
const BRIGHT: readonly (AnsiColor | undefined)[] = ['gray', ...BASIC.slice(1)];

/** Returns the color of an index of the palette: 16 basic colors, a cube of 6 × 6 × 6 colors, and 24 shades of gray. */
function paletteColor(index: number): AnsiColor | undefined {
  if (index < 8) return BASIC[index];
  if (index < 16) return BRIGHT[index - 8];
  if (index >= 232) {
    const shade = 8 + 10 * (index - 232);
    return nearestColor(shade, shade, shade);
  }
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  return nearestColor(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Upper ends of the hues, in degrees. Orange counts as yellow. */
const HUES: readonly (readonly [end: number, color: AnsiColor])[] = [
  [22, 'red'],
  [70, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [260, 'blue'],
  [340, 'magenta'],
  [360, 'red'],
];
/** Difference between the strongest and the weakest component below which a color counts as a shade of gray. */
const LEAST_CHROMA = 40;

/** Returns the color with the nearest hue, gray for medium shades of gray, or undefined for shades near black or white. */
function nearestColor(red: number, green: number, blue: number): AnsiColor | undefined {
  const most = Math.max(red, green, blue);
  const chroma = most - Math.min(red, green, blue);
  if (chroma < LEAST_CHROMA) return most >= 60 && most <= 200 ? 'gray' : undefined;
  const hue = hueOf(red, green, blue, most, chroma);
  return HUES.find(([end]) => hue <= end)?.[1];
}

/** Returns the hue in degrees, from 0 to 360. */
function hueOf(red: number, green: number, blue: number, most: number, chroma: number): number {
  if (most === red) return (60 * ((green - blue) / chroma) + 360) % 360;
  if (most === green) return 60 * ((blue - red) / chroma + 2);
  return 60 * ((red - green) / chroma + 4);
}
