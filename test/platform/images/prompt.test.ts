import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SUGGESTIONS } from '../../../src/features/images/model/suggestions.ts';
import { INSTRUCTIONS } from '../../../src/platform/images/instructions.ts';
import { EditError, type Picture } from '../../../src/platform/images/picture.ts';
import { MAX_PROMPT_LENGTH } from '../../../src/contract/imageModel.ts';
import { understand } from '../../../src/platform/images/prompt.ts';
import { assertLinear } from '../../support/growth.ts';
import { edited, gradient } from './support.ts';

/** An instruction with its exact amount. The sentences below mean the same in other words. */
const LEVELS: readonly (readonly [prompt: string, ...exact: string[]])[] = [
  ['make it black and white, rotate it left and flip it', 'b&w', 'rotate 270', 'flip'],
  ['Brighten the image.', 'brighten 25%'],
  ['brighten it by 30%', 'brighten 30%'],
  ['Make it SLIGHTLY brighter!', 'brighten 12%'],
  ['very slightly brighter', 'brighten 12%'],
  ['much darker please', 'darken 50%'],
  ['darken by half', 'darken 50%'],
  ['less light', 'darken 25%'],
  ['more light', 'brighten 25%'],
  ['less dark', 'brighten 25%'],
  ['reduce the brightness by 15 percent', 'darken 15%'],
  ['B&W', 'grayscale'],
  ['black & white', 'grayscale'],
  ['greyscale', 'grayscale'],
  ['grey scale', 'grayscale'],
  ['a monochrome picture with blurry edges', 'grayscale', 'blur 1.5%'],
  ['remove the colors', 'grayscale'],
  ['remove the colours', 'grayscale'],
  ['sepia, 80%', 'sepia 80%'],
  ['an old photo', 'sepia 100%'],
  ['invert the colors', 'invert 100%'],
  ['slightly inverted', 'invert 30%'],
  ['blur it strongly', 'blur 4%'],
  ['blur with a radius of 5 px', 'blur 5'],
  ['blur it, please, by 3 pixels', 'blur 3'],
  ['strongly blur slightly darken', 'blur 4%', 'darken 12%'],
  ['blur strongly darken slightly', 'blur 4%', 'darken 12%'],
  ['rotate 90 degrees left', 'rotate 270'],
  ['rotate it, to the left', 'rotate 270'],
  ['rotate it counterclockwise', 'rotate 270'],
  ['rotate 45° clockwise', 'rotate 45'],
  ['tilt it', 'rotate 10'],
  ['rotate by 180', 'rotate 180'],
  ['turn it upside down', 'rotate 180'],
  ['turn it to the right', 'rotate 90'],
  ['turn it black and white', 'grayscale'],
  ['flip it', 'flip horizontally'],
  ['mirror it vertically', 'flip vertically'],
  ['flip it upside down', 'flip vertically'],
  ['make it 30x20', 'resize to 30x20'],
  ['resize to 30 by 20', 'resize to 30x20'],
  ['scale it to 50%', 'resize to 32x20'],
  ['shrink by 25%', 'resize to 48x30'],
  ['enlarge by 50%', 'resize to 96x60'],
  ['twice the size', 'resize to 128x80'],
  ['resize to half the size', 'resize to 32x20'],
  ['resize to 32 pixels', 'resize to 32x20'],
  ['a thumbnail of 16 px', 'resize to 16x10'],
  ['add some film grain', 'noise 15%'],
  ["brighten it, but don't blur it", 'brighten 25%'],
  ['brighten it, but don’t blur it', 'brighten 25%'],
  ['darken without any noise or blur', 'darken 25%'],
  ['brighten, then darken, then brighten', 'brighten 25%', 'darken 25%', 'brighten 25%'],
  ['add a red border of 10 px and blur it, crop by 30%', 'blur 1.5%'],
];

const source = gradient(64, 40);
const after = (prompt: string): Picture => edited(source, prompt);

describe('understand', () => {
  for (const [prompt, ...exact] of LEVELS) {
    it(`understands '${prompt}'`, () => {
      assert.equal(understand(prompt).length, exact.length);
      assert.deepEqual(
        after(prompt),
        exact.reduce((picture, one) => edited(picture, one), source),
      );
    });
  }

  it('omits the instructions in the negative prompt', () => {
    assert.equal(understand('brighten it, blur it and rotate it', 'blurry, low quality, rotated').length, 1);
    assert.throws(() => understand('blur', 'no blur'), /every instruction in the prompt is excluded/);
  });

  it('lists the known instructions if the prompt contains none', () => {
    for (const prompt of ['', 'add a cat', 'caption "Hello"', 'crop to 16:9', '!!!', '42', 'красный']) {
      assert.throws(
        () => understand(prompt),
        (error: Error) =>
          error instanceof EditError &&
          error.message.includes('no known instruction') &&
          INSTRUCTIONS.every(({ name }) => error.message.includes(name)),
        prompt,
      );
    }
  });

  it('refuses prompts beyond its limits', () => {
    assert.throws(() => understand('blur '.repeat(MAX_PROMPT_LENGTH)), /at most 4000 characters/);
    assert.throws(() => understand('blur', 'blur '.repeat(MAX_PROMPT_LENGTH)), /at most 4000 characters/);
    assert.throws(() => understand('blur, '.repeat(100)), /at most 30 instructions/);
  });

  it('understands combinations of all instructions in their order', () => {
    const examples = SUGGESTIONS.map(({ prompt }) => prompt).filter((prompt) => !prompt.includes('resize'));
    const separator = fc.constantFrom(', ', ' and ', ', then ', '. ', '; ', ' but also ');
    const sentence = fc.array(fc.tuple(fc.constantFrom(...examples), separator), { minLength: 1, maxLength: 8 });
    const small = gradient(6, 4);
    fc.assert(
      fc.property(sentence, fc.boolean(), (parts, loud) => {
        const text = parts.map((part) => part.join('')).join('');
        const alone = parts.reduce((picture, [example]) => edited(picture, example), small);
        assert.deepEqual(edited(small, loud ? text.toUpperCase() : text), alone);
      }),
    );
  });

  it('returns edits or throws an EditError for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.string({ maxLength: 50 }), (prompt, negative) => {
        try {
          assert.ok(understand(prompt, negative).length > 0);
        } catch (error) {
          if (!(error instanceof EditError)) throw error;
        }
      }),
    );
  });

  for (const piece of [
    '"',
    "'",
    '#',
    '1x',
    '1 ',
    'per ',
    '-',
    '“',
    'a',
    'a’',
    'black and ',
    ' ',
    'turn ',
    'make ',
    'blur ',
    'not ',
    'slightly ',
    '1.',
  ])
    it(`takes linear time for a prompt of ${JSON.stringify(piece)}, up to the maximum length`, () => {
      assertLinear(
        [MAX_PROMPT_LENGTH / 16, MAX_PROMPT_LENGTH / 4, MAX_PROMPT_LENGTH],
        (size) => piece.repeat(size).slice(0, size),
        (text) => {
          try {
            understand(text);
          } catch (error) {
            if (!(error instanceof EditError)) throw error;
          }
        },
      );
    });
});
