import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { THEMES, type Theme } from './themes.ts';

/** Linear red, green, and blue, each from 0 to 1. */
type Color = readonly [number, number, number];

const SELECTORS: Readonly<Record<Theme, string>> = {
  dark: 'body',
  light: 'body.vscode-light',
  'high-contrast': 'body.vscode-high-contrast',
  'high-contrast-light': 'body.vscode-high-contrast-light',
};

/** Backgrounds of other built-in themes: Monokai, Solarized, Kimbie, Tomorrow Night Blue, and Quiet Light. */
const OTHERS: Partial<Record<Theme, readonly string[]>> = {
  dark: ['#272822', '#002b36', '#221a0f', '#002451'],
  light: ['#f5f5f5', '#fdf6e3'],
};

/** Linear transformations of complete color blindness: G. M. Machado et al., 2009, https://doi.org/10.1109/TVCG.2009.113 */
const VISIONS: Readonly<Record<string, readonly Color[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Smallest distance of two series in OKLab. People see a difference from about 0.02. */
const LEAST_DISTANCE = 0.085;

describe('The colors of the charts', () => {
  for (const theme of Object.keys(THEMES) as Theme[]) {
    it(`have a contrast of at least 3:1 to the ${theme} backgrounds`, async () => {
      const { 'editor-background': editor, 'editorHoverWidget-background': tooltip } = THEMES[theme];
      const backgrounds = [editor, tooltip, ...(OTHERS[theme] ?? [])];
      const pairs = (await hues(theme)).flatMap((hue) =>
        backgrounds.map((background) => [...hue, background] as const),
      );
      const weak = pairs.filter(([, color, background]) => contrast(color, linear(background)) < 3);
      assert.deepEqual(weak, []);
    });

    it(`differ for each color vision in the ${theme} theme`, async () => {
      const all = await hues(theme);
      assert.equal(all.length, 7);
      const close = Object.entries(VISIONS).flatMap(([vision, matrix]) =>
        all.flatMap(([name, color], place) =>
          all
            .slice(place + 1)
            .filter(([, other]) => distance(seen(color, matrix), seen(other, matrix)) < LEAST_DISTANCE)
            .map(([other]) => `${vision}: ${name}, ${other}`),
        ),
      );
      assert.deepEqual(close, []);
    });
  }
});

/** Reads the names and the colors of a theme from the style sheet. */
async function hues(theme: Theme): Promise<[name: string, color: Color][]> {
  const sheet = await readFile(path.join(repository, 'src', 'webviews', 'charts.css'), 'utf8');
  const rule = sheet.split('}').find((one) => one.includes(`\n${SELECTORS[theme]} {`)) ?? '';
  return [...rule.matchAll(/--hue-([a-z]+): (#[\da-f]{6});/g)].map(([, name = '', hex = '']) => [name, linear(hex)]);
}

function linear(hex: string): Color {
  const part = (start: number) => {
    const value = parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** Returns the contrast ratio of WCAG 2. */
function contrast(one: Color, other: Color): number {
  const [dark = 0, bright = 0] = [one, other]
    .map((color) => dot(color, [0.2126, 0.7152, 0.0722]))
    .sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function seen(color: Color, matrix: readonly Color[]): Color {
  return through(color, matrix, (value) => Math.min(1, Math.max(0, value)));
}

/** Returns the distance in OKLab, in which equal distances look equal. */
function distance(one: Color, other: Color): number {
  const [a, b] = [one, other].map((color) => through(through(color, LMS, Math.cbrt), OKLAB));
  return Math.hypot(...(a ?? []).map((value, place) => value - (b?.[place] ?? 0)));
}

const LMS: readonly Color[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const OKLAB: readonly Color[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

function through(color: Color, [first, second, third]: readonly Color[], then = (value: number) => value): Color {
  const of = (row: Color = [0, 0, 0]) => then(dot(color, row));
  return [of(first), of(second), of(third)];
}

function dot(one: Color, other: Color): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}
