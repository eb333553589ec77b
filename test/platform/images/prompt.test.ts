import assert from 'node:assert/strict';
import fc from 'fast-check';
import { INSTRUCTIONS } from '../../../src/platform/images/instructions/table.ts';
import { EditError } from '../../../src/platform/images/pixels/picture.ts';
import { MAX_PROMPT_LENGTH } from '../../../src/contract/imageEdit.ts';
import { understand } from '../../../src/platform/images/prompt/understand.ts';
import { assertLinear } from '../../support/growth.ts';

const steps = (prompt: string, negativePrompt?: string): string[] =>
  understand(prompt, negativePrompt).map(({ text }) => text);

/** Prompts with their exact steps. */
const SENTENCES: readonly (readonly [prompt: string, ...steps: string[]])[] = [
  [
    'make it black and white, rotate it left and add a red border',
    ...['grayscale 100 %', 'rotate -90 degrees', 'border 5 % rgb(255 0 0)'],
  ],
  ['Brighten the image.', 'brighten 25 %'],
  ['brighten it by 30%', 'brighten 30 %'],
  ['Make it SLIGHTLY brighter!', 'brighten 12 %'],
  ['much darker please', 'darken 50 %'],
  ['reduce the brightness by 15 percent', 'darken 15 %'],
  ['more contrast', 'contrast +25 %'],
  ['reduce the contrast by 20%', 'contrast -20 %'],
  ['lower the saturation a little', 'desaturate 20 %'],
  ['increase saturation by 50 %, then sharpen it', 'saturate 50 %', 'sharpen 100 %'],
  ['less color', 'desaturate 50 %'],
  ['less colour', 'desaturate 50 %'],
  ['desaturate by half', 'desaturate 50 %'],
  ['B&W', 'grayscale 100 %'],
  ['greyscale', 'grayscale 100 %'],
  ['grey scale', 'grayscale 100 %'],
  ['a monochrome picture with a vignette', 'grayscale 100 %', 'vignette 60 %'],
  ['remove the colors', 'grayscale 100 %'],
  ['remove the colours', 'grayscale 100 %'],
  ['sepia, 80%', 'sepia 80 %'],
  ['an old photo', 'sepia 100 %'],
  ['invert the colors', 'invert 100 %'],
  ['invert the colours', 'invert 100 %'],
  ['blur it strongly', 'blur 4 %'],
  ['blur with a radius of 5 px', 'blur 5 px'],
  ['strongly blur slightly sharpen', 'blur 4 %', 'sharpen 50 %'],
  ['blur strongly sharpen slightly', 'blur 4 %', 'sharpen 50 %'],
  ['rotate 90 degrees left', 'rotate -90 degrees'],
  ['rotate 45° clockwise', 'rotate 45 degrees'],
  ['rotate by 180', 'rotate 180 degrees'],
  ['turn it upside down', 'rotate 180 degrees'],
  ['turn it to the right', 'rotate 90 degrees'],
  ['turn it blue', 'tint 50 % rgb(0 0 255)'],
  ['flip it', 'flip horizontally'],
  ['mirror it vertically', 'flip vertically'],
  ['flip it upside down', 'flip vertically'],
  ['crop to 300x200 at the top left', 'crop 300x200 at left top'],
  ['make it square', 'crop 1:1'],
  ['crop to 16:9', 'crop 16:9'],
  ['crop to 300x200 in the centre', 'crop 300x200 at center'],
  ['crop to 300x200 in the center', 'crop 300x200 at center'],
  ['crop the left half', 'crop to 50 % at left'],
  ['crop by 10%', 'crop to 90 %'],
  ['crop a random 64x64 part', 'crop 64x64 at random'],
  ['resize to 512x512', 'resize 512x512'],
  ['resize to 512 by 256', 'resize 512x256'],
  ['scale it to 50%', 'resize 50 %'],
  ['shrink by 30%', 'resize 70 %'],
  ['enlarge by 50%', 'resize 150 %'],
  ['twice the size', 'resize 200 %'],
  ['half the size', 'resize 50 %'],
  ['resize to 300 pixels wide', 'resize width 300 px'],
  ['resize to 640 px', 'resize longer 640 px'],
  ['a thumbnail of 96 px', 'resize longer 96 px'],
  ['colour it green', 'tint 50 % rgb(0 128 0)'],
  ['colourise it green', 'tint 50 % rgb(0 128 0)'],
  ['tint it green', 'tint 50 % rgb(0 128 0)'],
  ['a strong teal tint', 'tint 80 % rgb(0 128 128)'],
  ['tint it #ff8000 by 40%', 'tint 40 % rgb(255 128 0)'],
  ['a light blue border of 10 px', 'border 10 px rgb(173 216 230)'],
  ['a bright red frame', 'border 5 % rgb(255 0 0)'],
  ['add a border, red, 12 pixels', 'border 12 px rgb(255 0 0)'],
  ['pixelate in squares of 12 px', 'pixelate 12 px'],
  ['caption "Hello" at the bottom', 'caption "Hello" at the bottom rgb(255 255 255)'],
  ['write “Guten Tag” in yellow at the top', 'caption "Guten Tag" at the top rgb(255 255 0)'],
  [`write 'rotate, blur and don't' on it`, `caption "rotate, blur and don't" at the bottom rgb(255 255 255)`],
  ['round the corners, 20 px', 'round corners 20 px'],
  ['posterize to 6 levels', 'posterize 6 levels'],
  ['a little warmer and less contrast', 'warm 12 %', 'contrast -25 %'],
  ['add some film grain', 'noise 15 %'],
  ['shuffle in tiles of 32 px', 'shuffle 32 px'],
  ["brighten it, but don't blur it", 'brighten 25 %'],
  ['sharpen without any noise or border', 'sharpen 100 %'],
  ['brighten, then darken, then brighten', 'brighten 25 %', 'darken 25 %', 'brighten 25 %'],
];

describe('understand', () => {
  for (const [prompt, ...expected] of SENTENCES) {
    it(`understands '${prompt}'`, () => assert.deepEqual(steps(prompt), expected));
  }

  it('maps the example of each instruction to that instruction', () => {
    for (const { name, example } of INSTRUCTIONS) {
      const [text = '', ...more] = steps(example);
      assert.ok(text.startsWith(name), `${name}: "${example}" means ${text}`);
      assert.deepEqual(more, [], example);
    }
  });

  it('omits the instructions in the negative prompt', () => {
    assert.deepEqual(steps('brighten it, blur it and add a border', 'blurry, low quality, frame'), ['brighten 25 %']);
    assert.throws(() => steps('blur', 'no blur'), /every instruction in the prompt is excluded/);
  });

  it('lists the known instructions if the prompt contains none', () => {
    for (const prompt of ['', 'add a cat', '!!!', '42', 'красный']) {
      assert.throws(
        () => steps(prompt),
        (error: Error) => error instanceof EditError && INSTRUCTIONS.every(({ name }) => error.message.includes(name)),
        prompt,
      );
    }
  });

  it('refuses missing captions, empty sizes, and prompts beyond its limits', () => {
    assert.throws(() => steps('add a caption'), /quotation marks/);
    assert.throws(() => steps('blur '.repeat(MAX_PROMPT_LENGTH)), /at most 4000 characters/);
    assert.throws(() => steps('blur, '.repeat(100)), /at most 30 instructions/);
    assert.throws(() => steps('resize to 0x0'), /at least one pixel/);
  });

  it('understands combinations of all instructions in their order', () => {
    const examples = INSTRUCTIONS.map(({ example }) => example);
    const separator = fc.constantFrom(', ', ' and ', ', then ', '. ', '; ', ' but also ');
    const sentence = fc.array(fc.tuple(fc.constantFrom(...examples), separator), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sentence, fc.boolean(), (parts, loud) => {
        const text = parts.map((part) => part.join('')).join('');
        const alone = parts.flatMap(([example]) => steps(example));
        const together = steps(loud ? text.replace(/(?<!")\b[a-z]+\b(?!")/g, (word) => word.toUpperCase()) : text);
        assert.deepEqual(together, alone);
      }),
    );
  });

  it('returns steps or throws an EditError for any text', () => {
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

  for (const piece of ['"', "'", '#', '1x', '1 ', 'per ', '-', '“', 'a', 'a’', 'black and ', ' '])
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
