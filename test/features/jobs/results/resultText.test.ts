import assert from 'node:assert/strict';
import { MAX_SHOWN_CHARACTERS, resultText } from '../../../../src/features/jobs/results/resultText.ts';
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
      const { text, isCut, lines } = resultText(job);
      assert.equal(text, JSON.stringify(job, null, 2));
      assert.equal(lines, text.split('\n').length);
      assert.equal(isCut, false);
    }
  });

  it('leaves out members without a value', () => {
    assert.equal(resultText({ id: 'j', error: undefined }).text, '{\n  "id": "j"\n}');
  });

  it('is not indented if that makes it too long', () => {
    for (const job of [nested(1_000, 50_000), nested(1_900, 200_000)]) {
      const { text, isCut } = resultText(job);
      assert.equal(text, JSON.stringify(job));
      assert.equal(isCut, false);
    }
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
