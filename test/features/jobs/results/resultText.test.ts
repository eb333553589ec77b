import assert from 'node:assert/strict';
import {
  deeperLines,
  MAX_SHOWN_CHARACTERS,
  MAX_SHOWN_LINES,
  resultText,
} from '../../../../src/features/jobs/results/resultText.ts';
import { assertLinear } from '../../../support/growth.ts';

/** Returns a job whose output is a list of `width` numbers inside `depth` nested lists. */
function nested(depth: number, width: number): object {
  const output: unknown = JSON.parse(`${'['.repeat(depth)}${'0,'.repeat(width)}0${']'.repeat(depth)}`);
  return { id: 'j', status: 'COMPLETED', output };
}

describe('Text of a result', () => {
  it('is the indented JSON of the job', () => {
    for (const job of [
      { id: 'j', output: [1] },
      { id: 'j', status: 'COMPLETED', output: { a: [], b: {}, c: null, d: [[true, 'x"\n']], e: 1.5 } },
      { id: 'j', output: '[{"\\'.repeat(1_000) },
    ]) {
      const { text, isCut } = resultText(job);
      assert.equal(text, JSON.stringify(job, null, 2));
      assert.equal(isCut, false);
    }
  });

  it('leaves out members without a value', () => {
    assert.equal(resultText({ id: 'j', error: undefined }).text, '{\n  "id": "j"\n}');
  });

  it('has line breaks whatever its size, and few enough lines and characters for the editor to fold and show it', () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => ({ index, text: 'x'.repeat(60) }));
    for (const [output, isWhole] of [
      [rows.slice(0, 40_000), true],
      [rows, false],
      [Array.from({ length: 400_000 }, () => 0), false],
      ['x'.repeat(5_000_000), false],
      [(nested(1_000, 50_000) as { output: unknown }).output, false],
    ] as const) {
      const { text, isCut } = resultText({ id: 'j', output });
      const lines = text.split('\n');
      assert.equal(isCut, !isWhole);
      assert.ok(lines.length < MAX_SHOWN_LINES + 5_000, `${lines.length} lines`);
      assert.ok(
        lines.every((line) => line.length < 110_000),
        'no line is endless',
      );
      JSON.parse(text);
    }
  });

  it('has lines of the deeper levels, which can be folded', () => {
    const { text } = resultText({
      id: 'j',
      output: { none: [], items: ['a', { b: ['['] }], image: { size: 1 } },
      n: 5,
    });
    const lines = text.split('\n');
    assert.deepEqual(
      deeperLines(text).map(([first, last]) => [lines[first], lines[last], lines[last + 1]]),
      [
        ['    "items": [', '      }', '    ],'],
        ['    "image": {', '      "size": 1', '    }'],
      ],
    );
    assert.deepEqual(deeperLines(resultText({ id: 'j', output: [1, 'a ['] }).text), []);
  });

  it('shows the members after a string that is cut', () => {
    const { text } = resultText({ id: 'j', output: ['x'.repeat(200_000), 'last'], executionTime: 5 });
    const { output, executionTime } = JSON.parse(text) as { output: string[]; executionTime: number };
    assert.ok(/^x{100000}… \(196 KB\)$/.test(output[0] ?? ''));
    assert.deepEqual([output[1], executionTime], ['last', 5]);
  });

  it('takes linear time for any nesting', () => {
    assertLinear([4_000, 16_000, 64_000], (size) => nested(Math.min(2_000, size / 10), size), resultText);
  });

  it('takes linear time for strings at any depth', () => {
    const strings = (size: number): object => {
      const depth = Math.min(1_900, size / 10);
      const output: unknown = JSON.parse(`${'['.repeat(depth)}${'"",'.repeat(size)}0${']'.repeat(depth)}`);
      return { id: 'j', output };
    };
    for (const isMarked of [() => true, () => false])
      assertLinear([4_000, 16_000, 64_000, 256_000], strings, (job) => resultText(job, isMarked));
  });

  it('is cut where the job is nested too deeply, and stays JSON', () => {
    const { text, isCut } = resultText(nested(100_000, 1));
    assert.equal(isCut, true);
    JSON.parse(text);
  });

  it('contains no schema, because the editor would load it from an address of the platform', () => {
    const { text } = resultText({ id: 'j', $schema: 'https://evil.example/x.json', output: { $schema: 'kept' } });
    assert.deepEqual(JSON.parse(text), { id: 'j', output: { $schema: 'kept' } });
  });

  it('shortens long data URLs with their size, and stays JSON', () => {
    const url = `data:image/png;base64,${'A'.repeat(160_000)}`;
    const { text, isCut, isShortened } = resultText({ id: 'j', output: { url, short: 'data:image/png;base64,AAAA' } });
    assert.deepEqual([isCut, isShortened], [false, true]);
    const { output } = JSON.parse(text) as { output: { url: string; short: string } };
    assert.match(output.url, /^data:image\/png;base64,A{38}… \(118 KB\)$/);
    assert.equal(output.short, 'data:image/png;base64,AAAA');
  });

  it('shows the beginning of a large list, object, or string, and stays JSON', () => {
    const numbers = Array.from({ length: 4_000_000 }, (_, index) => index);
    const members = Object.fromEntries(numbers.slice(0, 600_000).map((index) => [`member-${index}`, index]));
    for (const output of [numbers, members, 'x'.repeat(20_000_000), ['a', 'y'.repeat(9_000_000), 'b']]) {
      const { text, isCut } = resultText({ id: 'j', output, executionTime: 5 });
      assert.equal(isCut, true);
      assert.ok(text.length <= MAX_SHOWN_CHARACTERS);
      assert.match(JSON.stringify(JSON.parse(text)), /\d more"|… \(\d+\.\d MB\)/);
    }
  });

  it('reports the lines of marked strings in the output', () => {
    const output = { a: ['no', 'yes'], b: { c: 'yes' } };
    const { text, linesOf } = resultText({ id: 'yes', output }, ({ value }) => value === 'yes');
    const lines = text.split('\n');
    assert.deepEqual([...linesOf.keys()], ['["a",1]', '["b","c"]']);
    for (const line of linesOf.values()) assert.match(lines[line] ?? '', /yes/);
  });
});
