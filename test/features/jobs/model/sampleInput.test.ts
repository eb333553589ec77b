import assert from 'node:assert/strict';
import { checkInput } from '../../../../src/features/jobs/model/schema/checkInput.ts';
import { sampleInput } from '../../../../src/features/jobs/model/sampleInput.ts';

describe('A sample input', () => {
  it('has the required members, and those with a default or an example', async () => {
    const schema = {
      type: 'object',
      required: ['prompt', 'steps', 'size', 'tags', 'flag', 'mode'],
      properties: {
        prompt: { type: 'string', examples: ['a cat'] },
        steps: { type: 'integer', minimum: 1 },
        size: { $ref: '#/$defs/size' },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        flag: { type: ['null', 'boolean'] },
        mode: { enum: ['fast', 'good'] },
        seed: { type: 'integer', default: 42 },
        other: { type: 'string' },
      },
      $defs: { size: { type: 'object', required: ['width'], properties: { width: { type: 'number' } } } },
    };
    const sample = sampleInput(schema);
    assert.deepEqual(sample, {
      prompt: 'a cat',
      steps: 1,
      size: { width: 0 },
      tags: [''],
      flag: false,
      mode: 'fast',
      seed: 42,
    });
    assert.deepEqual(await checkInput({ schema }, { value: sample }), []);
  });

  it('is the example of the whole schema', () => {
    assert.deepEqual(sampleInput({ examples: [{ a: 1 }], type: 'object' }), { a: 1 });
  });

  it('joins allOf, and takes the first alternative', () => {
    const of = (name: string) => ({ type: 'object', required: [name], properties: { [name]: { const: name } } });
    assert.deepEqual(sampleInput({ allOf: [of('a'), of('b')] }), { a: 'a', b: 'b' });
    assert.deepEqual(sampleInput({ oneOf: [of('a'), of('b')] }), { a: 'a' });
  });

  it('ends for schemas that refer to themselves, and for invalid ones', () => {
    const tree = { type: 'object', required: ['child'], properties: { child: { $ref: '#' } } };
    assert.match(JSON.stringify(sampleInput(tree)), /^(\{"child":){9}null\}+$/);
    assert.deepEqual(sampleInput({ $ref: '#' }), {});
    assert.deepEqual(sampleInput(true), {});
    assert.deepEqual(sampleInput({ type: 'object', required: 5, properties: [] }), {});
  });
});
