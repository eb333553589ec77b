import assert from 'node:assert/strict';
import { EditError, type Picture } from '../../../src/platform/images/picture.ts';
import { gradient, edited, pictureOf, pixelAt, pixelsOf, type Pixel } from './support.ts';

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
  ['black and white', red, [54, 54, 54]],
  ['black and white', green, [182, 182, 182]],
  ['black and white by 50%', red, [155, 27, 27]],
  ['sepia', white, [255, 255, 239]],
  ['sepia', gray, [135, 120, 94]],
  ['invert', [10, 20, 30, 40], [245, 235, 225, 40]],
  ['invert by 50%', [10, 20, 30], [128, 128, 128]],
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
    const large = gradient(300, 200);
    assert.deepEqual(edited(large, 'rotate left, rotate right, rotate 270, rotate 90'), large);
  });

  it('rotate by other angles with transparent corners', () => {
    const turned = edited(plain(40, 40, red), 'rotate 45 degrees');
    assert.deepEqual([turned.width, turned.height], [57, 57]);
    assert.deepEqual(pixelAt(turned, 28, 28), [255, 0, 0, 255]);
    assert.deepEqual(pixelAt(turned, 0, 0), [0, 0, 0, 0]);
    for (const [pixelRed, , , alpha] of pixelsOf(turned).flat()) if (alpha) assert.equal(pixelRed, 255);
  });

  it('flip horizontally and vertically', () => {
    assert.deepEqual(edited(corners, 'flip'), pictureOf([white, green, red], [black, gray, blue]));
    assert.deepEqual(edited(corners, 'flip vertically'), pictureOf([blue, gray, black], [red, green, white]));
  });

  it('average the covered pixels when they shrink a picture', () => {
    assert.deepEqual(edited(plain(9, 7, gray), 'resize to 3x20'), plain(3, 20, gray));
    assert.deepEqual(
      pixelAt(edited(pictureOf([white, black], [black, white]), 'resize to 1x1'), 0, 0),
      [128, 128, 128, 255],
    );
    const half = edited(pictureOf([red, [0, 0, 0, 0]]), 'resize to 1x1');
    assert.deepEqual(pixelAt(half, 0, 0), [255, 0, 0, 128], 'transparent pixels contribute no color');
  });

  it('keep the proportions of a picture with a new longer side, or a factor', () => {
    for (const [prompt, size] of [
      ['resize to 20 px', [20, 10]],
      ['half the size', [30, 15]],
      ['resize to 150%', [90, 45]],
      ['resize to 1%', [1, 1]],
    ] as const) {
      const { width, height } = edited(gradient(60, 30), prompt);
      assert.deepEqual([width, height], size, prompt);
    }
  });

  it('blur edges, and keep plain areas', () => {
    assert.deepEqual(edited(plain(12, 9, gray), 'blur strongly'), plain(12, 9, gray));
    const edge = pictureOf(
      ...Array.from({ length: 8 }, () => [...Array<Pixel>(8).fill(black), ...Array<Pixel>(8).fill(gray)]),
    );
    const blurred = pixelsOf(edited(edge, 'blur by 1 px'))[4]?.map(([value = 0]) => value) ?? [];
    assert.deepEqual(
      blurred,
      [...blurred].sort((one, other) => one - other),
    );
    assert.ok(new Set(blurred).size > 4, 'the edge becomes a gradient');
  });

  it('give the same noise for the same seed, and another for another seed', () => {
    const [first, again, other] = [7, 7, 8].map((seed) => edited(gradient(32, 24), 'noise', seed));
    assert.deepEqual(first, again);
    assert.notDeepEqual(first, other);
  });

  it('add gray noise up to its amount, with a mean of zero', () => {
    const changes = pixelsOf(edited(plain(100, 100, [128, 128, 128]), 'noise by 20%'))
      .flat()
      .map(([red = 0, green = 0, blue = 0, alpha]) => {
        assert.deepEqual([green, blue, alpha], [red, red, 255]);
        return red - 128;
      });
    assert.equal(Math.max(...changes), 51);
    assert.equal(Math.min(...changes), -51);
    assert.ok(Math.abs(changes.reduce((sum, change) => sum + change, 0) / changes.length) < 2);
  });

  it('refuse results that are too large or empty', () => {
    assert.throws(() => edited(plain(1, 1, gray), 'resize to 100000x100000'), EditError);
    assert.throws(() => edited(gradient(64, 64), 'resize to 9000 px'), /megapixels/);
    assert.throws(() => edited(gradient(64, 64), 'resize to 0x10'), /no pixels/);
  });

  it('accept a picture of one pixel', () => {
    for (const prompt of ['blur', 'blur strongly', 'rotate 10', 'half the size', 'noise', 'flip', 'resize to 0%']) {
      const { width, height } = edited(plain(1, 1, gray), prompt);
      assert.ok(width >= 1 && height >= 1, prompt);
    }
  });
});
