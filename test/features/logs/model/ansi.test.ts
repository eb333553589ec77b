import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readAnsi } from '../../../../src/features/logs/model/ansi.ts';
import { assertLinear, UP_TO_1_MIB } from '../../../support/growth.ts';
import { withoutControls } from '../../../../src/text/shownText.ts';

/** Returns the text with marks around its colored parts. */
function marked(line: string): string {
  const { text, spans } = readAnsi(line);
  return spans.reduceRight(
    (marks, { start, end, color }) =>
      `${marks.slice(0, start)}<${color} ${marks.slice(start, end)}>${marks.slice(end)}`,
    text,
  );
}

const ESC = '\u001b[';

describe('readAnsi', () => {
  const cases: [what: string, line: string, expected: string][] = [
    ['no colors', 'plain', 'plain'],
    ['a color and its end', `${ESC}31mred${ESC}0m plain`, '<red red> plain'],
    ['an end without a number', `${ESC}31mred${ESC}m plain`, '<red red> plain'],
    ['the default color', `${ESC}32mgreen${ESC}39m plain`, '<green green> plain'],
    ['bold with a color', `${ESC}1;33mbold${ESC}0m`, '<yellow bold>'],
    ['a color that stays after the end of bold', `${ESC}1;34ma${ESC}22mb`, '<blue ab>'],
    ['bright colors', `${ESC}91ma${ESC}95mb${ESC}96mc`, '<red a><magenta b><cyan c>'],
    ['bright black', `${ESC}90mdim`, '<gray dim>'],
    ['dim text', `${ESC}2mdim${ESC}22m plain`, '<gray dim> plain'],
    ['dim text with a color', `${ESC}2;31mdim`, '<red dim>'],
    ['black and white', `${ESC}30ma${ESC}37mb${ESC}97mc`, 'abc'],
    ['a background color', `${ESC}41mplain${ESC}0m`, 'plain'],
    ['a background color of the palette', `${ESC}48;5;31;32mgreen`, '<green green>'],
    ['an RGB background color', `${ESC}48;2;1;31;2;33myellow`, '<yellow yellow>'],
    [
      'basic colors of the palette',
      `${ESC}38;5;1ma${ESC}38;5;12mb${ESC}38;5;8mc${ESC}38;5;15md`,
      '<red a><blue b><gray c>d',
    ],
    [
      'the color cube',
      `${ESC}38;5;196ma${ESC}38;5;46mb${ESC}38;5;21mc${ESC}38;5;208md`,
      '<red a><green b><blue c><yellow d>',
    ],
    ['shades of gray', `${ESC}38;5;232ma${ESC}38;5;244mb${ESC}38;5;255mc`, 'a<gray b>c'],
    ['RGB colors', `${ESC}38;2;255;20;147ma${ESC}38;2;0;200;200mb`, '<magenta a><cyan b>'],
    ['RGB colors with colons', `${ESC}38:2::0:255:0ma${ESC}38:2:255:0:0mb${ESC}38:5:4mc`, '<green a><red b><blue c>'],
    ['numbers that do not exist', `${ESC}999;38;9;31ma${ESC}38;5mb`, 'ab'],
    ['a color for two parts', `${ESC}31ma${ESC}31mb`, '<red ab>'],
    ['a color without text', `${ESC}31m${ESC}32mb`, '<green b>'],
    ['a one-character introducer', '\u009b31mred', '<red red>'],
    ['sequences that are not about color', `${ESC}31ma${ESC}2Kb\u001b]0;title\u0007c`, '<red abc>'],
    ['invisible characters in a colored part', `${ESC}31ma\u200bb\u202ec\u0000d${ESC}0me`, '<red abcd>e'],
    ['trailing white space', `${ESC}31ma  ${ESC}0m  `, '<red a>'],
    ['only white space', `${ESC}31m   `, ''],
    ['an emoji of several characters', `${ESC}31m👩‍🚀${ESC}0m!`, '<red 👩‍🚀>!'],
    ['a progress bar', `${ESC}31m10%\r${ESC}32m90%${ESC}0m done`, '<green 90%> done'],
    ['a progress bar that ends with a carriage return', `${ESC}31m10%\r${ESC}32m90%\r`, '<green 90%>'],
    ['several lines', `${ESC}31ma\nb\r\nc`, '<red a>\n<red b>\n<red c>'],
    ['a progress bar in a later line', `a\n${ESC}31m1%\r${ESC}32m2%\nb`, 'a\n<green 2%>\n<green b>'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['bytes that were not UTF-8', 'a\ufffd\ufffdb', 'a\ufffd\ufffdb'],
    ['a line separator', 'a\u2028b', 'a b'],
    ['form feeds and vertical tabs', 'a\fb\vc', 'abc'],
    ['a next line character', 'a\u0085b', 'ab'],
  ];
  for (const [what, line, expected] of cases) it(`reads ${what}`, () => assert.equal(marked(line), expected));

  it('takes linear time', () => {
    for (const unit of [
      '\u001b[31ma',
      '\u001b[',
      '\u001b]8;;',
      'a\r',
      '\r',
      ' \r',
      '\n',
      '1;',
      '\u200d',
      '\u001b[38;5;',
    ])
      assertLinear(UP_TO_1_MIB, (size) => `\u001b[${unit.repeat(size / unit.length)}`, readAnsi);
  });

  it('returns text that needs no further change, and ordered spans in it, for any input', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\u001b[31m',
        '\u001b[0m',
        '\u001b[38;5;200m',
        '\u001b',
        '\u009b1;32m',
        '\r',
        '\n',
        '\r\n',
        '\t',
        ' ',
      ),
      fc.constantFrom(
        '\u200d',
        '\ufe0f',
        '\u202e',
        '\u0085',
        '\u2028',
        '👩',
        'é',
        '\ud83d',
        '\udc69',
        '\u0000',
        '\u001b]8;;',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { text, spans } = readAnsi(pieces.join(''));
        assert.equal(withoutControls(text), text);
        assert.doesNotMatch(text, /[\r\u2028\u2029\v\f]/);
        let end = 0;
        for (const span of spans) {
          assert.ok(
            span.start >= end && span.end > span.start && span.end <= text.length,
            JSON.stringify({ text, spans }),
          );
          assert.doesNotMatch(text.slice(span.start, span.end), /\n/);
          end = span.end;
        }
      }),
    );
  });
});
