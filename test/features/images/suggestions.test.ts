import assert from 'node:assert/strict';
import { SUGGESTIONS } from '../../../src/features/images/model/suggestions.ts';
import { INSTRUCTIONS } from '../../../src/platform/images/instructions.ts';
import { understand } from '../../../src/platform/images/prompt.ts';

describe('suggestions for the prompt of an image edit', () => {
  it('are understood by the local model, each as one instruction', () => {
    for (const { prompt } of SUGGESTIONS) assert.equal(understand(prompt).length, 1, prompt);
  });

  it('include each instruction of the model once', () => {
    const suggested = SUGGESTIONS.flatMap(({ prompt }) =>
      INSTRUCTIONS.filter(({ name }) => {
        try {
          return understand(prompt, name).length === 0;
        } catch {
          return true;
        }
      }).map(({ name }) => name),
    );
    assert.deepEqual(suggested.sort(), INSTRUCTIONS.map(({ name }) => name).sort());
  });

  it('can be combined in one prompt', () => {
    assert.equal(understand(SUGGESTIONS.map(({ prompt }) => prompt).join(', ')).length, SUGGESTIONS.length);
  });
});
