import assert from 'node:assert/strict';
import { captionFont } from '../../../src/platform/images/font.ts';
import { EditError, type Picture } from '../../../src/platform/images/pixels/picture.ts';
import { randomOf } from '../../../src/platform/images/pixels/random.ts';
import { understand } from '../../../src/platform/images/prompt/understand.ts';
import { gradient, pictureOf, pixelAt, pixelsOf, type Pixel } from './support.ts';

/** Applies a prompt to a picture. */
function edited(picture: Picture, prompt: string, seed = 1): Picture {
  const tools = { random: randomOf(seed), font: captionFont };
  return understand(prompt).reduce((before, step) => step.edit(before, tools), picture);
}

const red: Pixel = [255, 0, 0];
const green: Pixel = [0, 255, 0];
const blue: Pixel = [0, 0, 255];
const white: Pixel = [255, 255, 255];
const black: Pixel = [0, 0, 0];
const gray: Pixel = [100, 100, 100];
const plain = (width: number, height: number, pixel: Pixel): Picture =>
  pictureOf(...Array.from({ length: height }, () => Array.from({ length: width }, () => pixel)));

/** Prompts with one pixel before and after the edit. */
const PIXELS: readonly (readonly [prompt: string, before: Pixel, after: Pixel])[] = [
  ['brighten by 50%', gray, [150, 150, 150, 255]],
  ['brighten by 200%', gray, white],
  ['darken by 50%', [100, 50, 10], [50, 25, 5]],
  ['contrast by 100%', [200, 100, 128], [255, 72, 128]],
  ['reduce the contrast by 100%', red, [128, 128, 128]],
  ['desaturate fully', [100, 150, 50], [132, 132, 132]],
  ['grayscale', red, [54, 54, 54]],
  ['grayscale', green, [182, 182, 182]],
  ['grayscale by 50%', red, [155, 27, 27]],
  ['saturate by 50%', gray, gray],
  ['saturate by 50%', [150, 100, 100], [170, 95, 95]],
  ['sepia', white, [255, 255, 239]],
  ['sepia', gray, [135, 120, 94]],
  ['invert', [10, 20, 30, 40], [245, 235, 225, 40]],
  ['invert by 50%', [10, 20, 30], [128, 128, 128]],
  ['tint red by 100%', white, red],
  ['tint red by 100%', black, black],
  ['tint blue by 50%', white, [128, 128, 255]],
  ['warm by 50%', gray, [130, 100, 70]],
  ['cool by 50%', gray, [70, 100, 130]],
  ['posterize to 2 levels', [127, 128, 255], [0, 255, 255]],
  ['posterize to 4 levels', [40, 90, 240], [0, 85, 255]],
];

describe('Image edits', () => {
  for (const [prompt, before, after] of PIXELS) {
    it(`apply '${prompt}': ${before.join(' ')} becomes ${after.join(' ')}`, () => {
      const [red, green, blue, alpha = 255] = after;
      assert.deepEqual(pixelAt(edited(plain(1, 1, before), prompt), 0, 0), [red, green, blue, alpha]);
    });
  }

  const corners = pictureOf([red, green, white], [blue, gray, black]);

  it('rotate by right angles without loss', () => {
    const right = pictureOf([blue, red], [gray, green], [black, white]);
    assert.deepEqual(edited(corners, 'rotate'), right);
    assert.deepEqual(edited(right, 'rotate left'), corners);
    assert.deepEqual(edited(corners, 'rotate 180'), edited(right, 'rotate'));
    assert.deepEqual(edited(corners, 'rotate 360 degrees'), corners);
  });

  it('rotate by other angles with transparent corners', () => {
    const turned = edited(plain(40, 40, red), 'rotate 45 degrees');
    assert.deepEqual([turned.width, turned.height], [57, 57]);
    assert.deepEqual(pixelAt(turned, 28, 28), [255, 0, 0, 255]);
    assert.deepEqual(pixelAt(turned, 0, 0), [0, 0, 0, 0]);
    for (const [pixelRed, , , alpha] of pixelsOf(turned).flat()) {
      if (alpha) assert.equal(pixelRed, 255, 'edges become transparent without darkening');
    }
  });

  it('flip horizontally and vertically', () => {
    assert.deepEqual(edited(corners, 'flip'), pictureOf([white, green, red], [black, gray, blue]));
    assert.deepEqual(edited(corners, 'flip vertically'), pictureOf([blue, gray, black], [red, green, white]));
  });

  it('crop to a size, ratio, or part at the requested position', () => {
    assert.deepEqual(edited(corners, 'crop to 2x1 at the bottom right'), pictureOf([gray, black]));
    assert.deepEqual(edited(corners, 'make it square'), pictureOf([red, green], [blue, gray]));
    assert.deepEqual(edited(corners, 'crop the left third'), pictureOf([red], [blue]));
    assert.deepEqual(edited(corners, 'crop to 100x100'), corners);
    const wide = edited(gradient(100, 100), 'crop to 16:9');
    assert.deepEqual([wide.width, wide.height], [100, 56]);
  });

  it('average the covered pixels when they shrink a picture', () => {
    assert.deepEqual(edited(plain(9, 7, gray), 'resize to 3x20'), plain(3, 20, gray));
    assert.deepEqual(
      pixelAt(edited(pictureOf([white, black], [black, white]), 'resize to 1x1'), 0, 0),
      [128, 128, 128, 255],
    );
    const half = edited(pictureOf([red, [0, 0, 0, 0]]), 'resize to 1x1');
    assert.deepEqual(pixelAt(half, 0, 0), [255, 0, 0, 128], 'transparent pixels contribute no color');
    const wide = edited(gradient(60, 30), 'resize to 20 pixels wide');
    assert.deepEqual([wide.width, wide.height], [20, 10]);
  });

  it('blur and sharpen edges, and keep plain areas', () => {
    for (const prompt of ['blur strongly', 'sharpen strongly']) {
      assert.deepEqual(edited(plain(12, 9, gray), prompt), plain(12, 9, gray));
    }
    const edge = pictureOf(
      ...Array.from({ length: 8 }, () => [...Array<Pixel>(8).fill(black), ...Array<Pixel>(8).fill(gray)]),
    );
    const blurred = pixelsOf(edited(edge, 'blur by 1 px'))[4]?.map(([value = 0]) => value) ?? [];
    assert.deepEqual(
      blurred,
      [...blurred].sort((one, other) => one - other),
    );
    assert.ok(new Set(blurred).size > 4, 'the edge becomes a gradient');
    const sharp = pixelsOf(edited(edge, 'sharpen'))[4]?.map(([value = 0]) => value) ?? [];
    assert.ok(Math.max(...sharp) > 100, 'the lighter side of an edge becomes lighter');
  });

  it('pixelate to the mean of each square, including partial squares', () => {
    const result = edited(pictureOf([white, black, red], [black, white, red]), 'pixelate 2 px');
    assert.deepEqual(pixelsOf(result)[0], [
      [128, 128, 128, 255],
      [128, 128, 128, 255],
      [255, 0, 0, 255],
    ]);
  });

  it('add a border', () => {
    assert.deepEqual(
      edited(plain(1, 1, gray), 'a red border of 1 px'),
      pictureOf([red, red, red], [red, gray, red], [red, red, red]),
    );
  });

  it('round corners', () => {
    const round = edited(plain(20, 20, gray), 'rounded corners of 6 px');
    assert.equal(pixelAt(round, 0, 0)[3], 0);
    assert.equal(pixelAt(round, 19, 19)[3], 0);
    assert.deepEqual(pixelAt(round, 10, 0), [100, 100, 100, 255]);
    assert.deepEqual(pixelAt(round, 6, 6), [100, 100, 100, 255]);
  });

  it('darken the corners and keep the center for a vignette', () => {
    const dark = edited(plain(21, 21, white), 'a strong vignette');
    assert.deepEqual(pixelAt(dark, 10, 10), [255, 255, 255, 255]);
    assert.ok((pixelAt(dark, 0, 0)[0] ?? 255) < 40);
  });

  it('write captions at the requested position, in several lines if necessary', () => {
    const changedRows = (prompt: string): number[] =>
      pixelsOf(edited(plain(200, 100, gray), prompt)).flatMap((row, y) =>
        row.some(([value = 0]) => value > 200) ? [y] : [],
      );
    const bottom = changedRows('caption "Grüße!"');
    assert.ok(bottom.length > 4 && bottom.every((y) => y > 80), bottom.join());
    assert.ok(changedRows('caption "Hi" at the top').every((y) => y < 20));
    const lines = changedRows(`caption "${'many words '.repeat(12)}"`);
    assert.ok(lines.length > bottom.length * 2, 'long text wraps');
    assert.throws(() => edited(plain(9, 9, gray), 'caption "日本"'), /cannot contain '日'/);
    assert.doesNotThrow(() => edited(plain(1, 1, gray), 'caption "a"'));
  });

  it('give the same result for the same seed, and another for another seed', () => {
    for (const prompt of ['noise', 'shuffle in tiles of 4 px', 'crop a random 8x8 part', 'rotate randomly']) {
      const [first, again, other] = [7, 7, 8].map((seed) => edited(gradient(32, 24), prompt, seed));
      assert.deepEqual(first, again, prompt);
      assert.notDeepEqual(first, other, prompt);
    }
  });

  it('shuffle tiles without losing pixels', () => {
    const sorted = (picture: Picture): string[] => pixelsOf(picture).flat().map(String).sort();
    const source = gradient(19, 13);
    assert.deepEqual(sorted(edited(source, 'shuffle 4 px')), sorted(source));
  });

  it('refuse results that are too large', () => {
    assert.throws(() => edited(plain(1, 1, gray), 'resize to 100000x100000'), EditError);
    assert.throws(() => edited(gradient(64, 64), 'resize to 9000 px'), /megapixels/);
  });

  it('accept a picture of one pixel', () => {
    for (const prompt of [
      'blur',
      'sharpen',
      'pixelate',
      'border',
      'rotate 10',
      'crop',
      'half the size',
      'shuffle',
      'vignette',
      'round corners',
      'noise',
    ]) {
      const { width, height } = edited(plain(1, 1, gray), prompt);
      assert.ok(width >= 1 && height >= 1, prompt);
    }
  });
});
