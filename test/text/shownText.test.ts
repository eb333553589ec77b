import assert from 'node:assert/strict';
import fc from 'fast-check';
import { foreign, joined, shown, type ShownText } from '../../src/text/shownText.ts';

/** The pattern with which VS Code finds links in messages (`parseLinkedText`). */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
/** The pattern with which VS Code finds icons in labels (`renderLabelWithIcons`). */
const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Pieces of typical attacks, which the properties combine. */
const pieces = [
  ...['[', ']', '(', ')', '$', '$(', '](', 'error', 'command:x', 'https://e.example', '`', '|', '\\', 'a', '7', ' '],
  ...['\n', '\r', '\t', '\0', '\x1b', '\x1b[31m', '\x1b]8;;x\x07', '\x85', '\x9b', '\x9d', '\x9c', '\u2028', '\ufeff'],
  ...['\u202e', '\u2066', '\u2069', '\u200b', '\u200c', '\u200d', '\u00ad', '\u2800', '\ufe0f', '\u{e0041}', '\ud800'],
  ...['é', 'क', '❤', '🔥', 'א', '…'],
];
const hostile = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), {
  maxLength: 40,
});
const hostileText = hostile.map((parts) => parts.join(''));

function assertInert({ text }: ShownText): void {
  assert.doesNotMatch(text, LINK);
  assert.doesNotMatch(text, ICON);
  assert.doesNotMatch(text, DIRECTION);
  assert.doesNotMatch(text, /[\x00-\x1f\x7f-\x9f\u2028\u2029]/u);
  assert.ok(text.isWellFormed());
}

describe('foreign text', () => {
  const cases: readonly [what: string, given: string, text: string][] = [
    ['a command link', '[Fix](command:workbench.action.terminal.new)', '[Fix] (command:workbench.action.terminal.new)'],
    ['a web link with a title', '[a](https://e.example "b")', '[a] (https://e.example "b")'],
    ['an icon', '$(error) failed', '$ (error) failed'],
    ['an escaped icon', '\\$(error)', '\\$ (error)'],
    ['line breaks', 'one\r\n\n\ttwo\u2028three\u0085four', 'one two three four'],
    ['colors of a terminal', '\x1b[1;31mred\x1b[0m', 'red'],
    ['a link of a terminal', '\x1b]8;;https://e.example\x1b\\text\x1b]8;;\x07', 'text'],
    ['an unterminated terminal sequence', 'a\x1b]never', 'anever'],
    ['direction overrides', 'a\u202egpj.exe\u202c', 'agpj.exe'],
    ['isolates', '\u2066a\u2069', 'a'],
    ['invisible characters', 'ad\u200bm\u2060in\u00ad\u{e0041}', 'admin'],
    ['a joiner hidden in Latin text', 'ad\u200dmin', 'admin'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['repeated spaces', '  a  ', ' a '],
  ];
  for (const [what, given, text] of cases)
    it(`is made safe: ${what}`, () => {
      assert.equal(foreign(given).text, text);
    });

  const kept = ['❤️‍🔥 👩‍💻', 'क्‍ष', 'می‌خواهم', 'שלום', 'naïve café', '100 % [a] (b) $5 a|b `c` <i>'];
  for (const text of kept)
    it(`is unchanged if it is harmless: ${text}`, () => {
      assert.equal(foreign(text).text, text);
    });

  it('is cut between characters and ends with an ellipsis', () => {
    assert.equal(foreign('x'.repeat(10), 10).text, 'x'.repeat(10));
    assert.equal(foreign('x'.repeat(11), 10).text, `${'x'.repeat(9)}…`);
    assert.equal(foreign('😀'.repeat(6), 10).text, `${'😀'.repeat(4)}…`);
    assert.equal(foreign('\u200b'.repeat(1_000_000)).text, '…');
  });

  it('never contains a link, icon, or control character', () => {
    fc.assert(fc.property(hostileText, (text) => assertInert(foreign(text))));
  });

  it('does not change when it is made safe again', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 30 }), (text, longest) => {
        const once = foreign(text, longest).text;
        assert.equal(foreign(once, longest).text, once);
        assert.ok(once.length <= longest);
      }),
    );
  });
});

describe('text with foreign values', () => {
  it('keeps the icons and line breaks of its own literals', () => {
    assert.equal(shown`$(check) “${'$(x)\n'}”:\n${3}`.text, '$(check) “$ (x) ”:\n3');
  });

  it('inserts safe text unchanged', () => {
    assert.equal(shown`${shown`$(check)\na`} b`.text, '$(check)\na b');
    assert.equal(joined([shown`$(check)`, 'b\n'], '\n').text, '$(check)\nb ');
  });

  it('forms no link or icon across the boundary of two parts', () => {
    assert.equal(shown`${'[a]'}(${'command:x'})`.text, '[a] (command:x)');
    assert.equal(joined(['[a]', '(command:x)', '$', '(error)'], '').text, '[a] (command:x)$ (error)');
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (a, b, c) => {
        assertInert(shown`${a}${b}(${c})`);
        assertInert(joined([a, b, c], ''));
      }),
    );
  });
});

describe('making text safe', () => {
  it('examines a limited part of a long text', () => {
    const long = { length: 1e9, slice: (from: number, to: number) => 'x'.repeat(Math.min(to, 1e9) - from) };
    assert.equal(foreign(long as string, 10).text, `${'x'.repeat(9)}…`);
  });
});
