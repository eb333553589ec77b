import assert from 'node:assert/strict';
import { SUGGESTIONS } from '../../../src/features/images/model/suggestions.ts';
import { INSTRUCTIONS } from '../../../src/platform/images/instructions/table.ts';
import { clausesOf } from '../../../src/platform/images/prompt/clauses.ts';
import { understand } from '../../../src/platform/images/prompt/understand.ts';

describe('suggestions for the prompt of an image edit', () => {
  it('are understood by the local model, each as one instruction', () => {
    for (const { prompt } of SUGGESTIONS) assert.equal(understand(prompt).length, 1, prompt);
  });

  it('include each instruction of the model once', () => {
    const suggested = SUGGESTIONS.flatMap(({ prompt }) => clausesOf(prompt).map(({ instruction }) => instruction.name));
    assert.deepEqual(suggested.sort(), INSTRUCTIONS.map(({ name }) => name).sort());
  });

  it('can be combined in one prompt', () => {
    assert.equal(understand(SUGGESTIONS.map(({ prompt }) => prompt).join(', ')).length, SUGGESTIONS.length);
  });
});
