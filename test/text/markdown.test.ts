import assert from 'node:assert/strict';
import fc from 'fast-check';
import { code, codeBlock, commandLink, formatted, joinedMarkdown, table } from '../../src/text/markdown.ts';
import { shown } from '../../src/text/shownText.ts';

/** Removes escaped characters. The remaining text could be markup. */
const withoutEscapes = (source: string) => source.replaceAll(/\\[!-/:-@[-`{-~]/g, '');

const text = fc
  .array(
    fc.constantFrom(
      ...Array.from('[]()!*_`|\\<>&$#-+.~:/@ ax\n'),
      'https://e.example',
      'www.e.example',
      'command:x',
      'a@e.example',
    ),
  )
  .map((parts) => parts.join(''));

describe('Markdown with foreign values', () => {
  it('keeps its own markup and escapes values', () => {
    assert.equal(formatted`**${'a*b'}** ${3}`.source, '**a\\*b** 3');
    const own = formatted`**a**`;
    assert.equal(formatted`${own}`.source, '**a**');
    assert.equal(formatted`${shown`a_b`}`.source, 'a\\_b');
  });

  it('escapes every ASCII punctuation mark in a value', () => {
    fc.assert(
      fc.property(text, (value) => assert.match(withoutEscapes(formatted`${value}`.source), /^[\w…]*( [\w…]*)*$/)),
    );
    assert.equal(formatted`${'https://e.example'}`.source, 'https\\:\\/\\/e\\.example');
  });

  it('forms no icon across the boundary of two values', () => {
    assert.equal(formatted`${'$'}${'(error)'}`.source, '\\$ \\(error\\)');
    assert.equal(joinedMarkdown(['$(error)', 'b'], '\n\n').source, '\\$ \\(error\\)\n\nb');
  });
});

describe('code span', () => {
  it('cannot be ended by its text', () => {
    assert.equal(code('a').source, '`a`');
    assert.equal(code('a`b``c').source, '```a`b``c```');
    assert.equal(code('`').source, '`` ` ``');
    assert.equal(code('').source, '');
    fc.assert(
      fc.property(text, (value) => {
        const { source } = code(value);
        const fence = /^`*/.exec(source)?.[0] ?? '';
        const runs = source.slice(fence.length, source.length - fence.length).match(/`+/g) ?? [];
        assert.ok(source === '' || runs.every((run) => run.length < fence.length));
      }),
    );
  });

  it('contains no icon', () => {
    assert.equal(code('$(error)').source, '`$ (error)`');
  });
});

describe('table', () => {
  /** Splits a row as GFM does: at each bar after an even number of backslashes. */
  const cells = (row: string) => row.split(/(?<=(?<!\\)(?:\\\\)*)\|/).length - 2;

  it('has the given number of cells for any content', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        for (const row of table([[a, code(b)]]).source.split('\n')) assert.equal(cells(row), 2, row);
      }),
    );
  });

  it('escapes a bar in a code span', () => {
    assert.equal(
      table([['Command', code('a | b')]]).source,
      '| |  |\n|:--|:--|\n| Command | `a \\| b` |'.replace('| |', '|  |'),
    );
  });
});

describe('command link', () => {
  it('cannot be ended by its argument', () => {
    const { source } = commandLink('Run', 'cloudCompute.jobs.run', { id: `x)](command:evil) '!*\ud800` });
    assert.match(source, /^\[Run\]\(command:cloudCompute\.jobs\.run\?[^()[\]\s'!*]+\)$/);
  });

  it('puts foreign lines in a block of code that no line can end', () => {
    const block = codeBlock(['a [b](c)', '````', '  d']);
    assert.equal(block.source, '`````text\na [b](c)\n````\n  d\n`````');
  });
});
