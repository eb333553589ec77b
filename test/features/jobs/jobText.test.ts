import assert from 'node:assert/strict';
import { jobText } from '../../../src/features/jobs/jobText.ts';
import { assertLinear } from '../../support/growth.ts';

/** Returns a job whose output is a list of `width` numbers inside `depth` nested lists. */
function nested(depth: number, width: number): object {
  const output: unknown = JSON.parse(`${'['.repeat(depth)}${'0,'.repeat(width)}0${']'.repeat(depth)}`);
  return { id: 'j', status: 'COMPLETED', output };
}

describe('Text of a job', () => {
  it('is indented', () => {
    assert.equal(jobText({ id: 'j', output: [1] }), '{\n  "id": "j",\n  "output": [\n    1\n  ]\n}');
  });

  it('ignores brackets inside strings', () => {
    const output = `${'[{"\\'.repeat(100_000)}\n`;
    assert.match(jobText({ id: 'j', output }), /^\{\n {2}"id"/);
  });

  it('is not indented if that makes it much larger', () => {
    for (const job of [nested(1_000, 50_000), nested(2_000, 200_000)]) {
      const text = jobText(job);
      assert.equal(text, JSON.stringify(job));
    }
  });

  it('takes linear time for any nesting', () => {
    assertLinear([4_000, 16_000, 64_000], (size) => nested(Math.min(2_000, size / 10), size), jobText);
  });

  it('reports a job that is nested too deeply', () => {
    assert.match(jobText(nested(100_000, 1)), /"unavailable": "The job is nested too deeply to be shown\."/);
  });

  it('contains no schema, because the editor would load it from an address of the platform', () => {
    const text = jobText({ id: 'j', $schema: 'https://evil.example/x.json', output: { $schema: 'kept' } });
    assert.deepEqual(JSON.parse(text), { id: 'j', output: { $schema: 'kept' } });
  });
});
