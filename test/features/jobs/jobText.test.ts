import assert from 'node:assert/strict';
import { jobText } from '../../../src/features/jobs/jobText.ts';
import { assertLinear } from '../../support/growth.ts';

/** A job whose output is a list of that many numbers, within as many lists. */
function nested(depth: number, width: number): object {
  const output: unknown = JSON.parse(`${'['.repeat(depth)}${'0,'.repeat(width)}0${']'.repeat(depth)}`);
  return { id: 'j', status: 'COMPLETED', output };
}

describe('the text of a job', () => {
  it('is laid out for reading', () => {
    assert.equal(jobText({ id: 'j', output: [1] }), '{\n  "id": "j",\n  "output": [\n    1\n  ]\n}');
  });

  it('counts as nesting only what is not in a text', () => {
    const output = `${'[{"\\'.repeat(100_000)}\n`;
    assert.match(jobText({ id: 'j', output }), /^\{\n {2}"id"/);
  });

  it('does not become many times larger by its layout', () => {
    for (const job of [nested(1_000, 50_000), nested(2_000, 200_000)]) {
      const text = jobText(job);
      assert.equal(text, JSON.stringify(job));
    }
  });

  it('is made in linear time, however it is nested', () => {
    assertLinear([4_000, 16_000, 64_000], (size) => nested(Math.min(2_000, size / 10), size), jobText);
  });

  it('says that what is nested too deeply is not shown', () => {
    assert.match(jobText(nested(100_000, 1)), /"unavailable": "The job is nested too deeply to be shown\."/);
  });

  it('names no schema, which the editor would load from wherever the platform says', () => {
    const text = jobText({ id: 'j', $schema: 'https://evil.example/x.json', output: { $schema: 'kept' } });
    assert.deepEqual(JSON.parse(text), { id: 'j', output: { $schema: 'kept' } });
  });
});
