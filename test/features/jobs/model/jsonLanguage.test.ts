import assert from 'node:assert/strict';
import { JsonLanguage } from '../../../../src/features/jobs/model/schema/jsonLanguage.ts';
import type { InputSchema } from '../../../../src/features/jobs/model/schema/schemaFiles.ts';

const input = (name: string): InputSchema => ({
  url: `file:///ws/${name}.json`,
  schema: {
    type: 'object',
    properties: {
      [name]: { type: 'string', enum: ['x', 'y'], description: `Words about ${name}`, default: 'x' },
      part: { $ref: '#/definitions/part' },
    },
    definitions: { part: { type: 'object', properties: { deep: { type: 'integer' } } } },
  },
});

const schemaOf = (used: InputSchema | undefined) => ({
  type: 'object',
  properties: { endpoint: { type: 'string' }, input: used ? { $ref: used.url } : { type: 'object' } },
});

const language = () =>
  new JsonLanguage({
    files: { read: () => Promise.reject(new Error('unexpected')) },
    offered: (path) => (path.join() === 'endpoint' ? [{ value: 'a "b" $1', detail: 'd' }] : []),
  });

async function labels(service: JsonLanguage, marked: string, used: InputSchema | undefined) {
  const offset = marked.indexOf('|');
  const parsed = service.parse(marked.replace('|', ''), used, schemaOf);
  return (await service.complete(parsed, offset)).items.map(({ label }) => label);
}

describe('The JSON language service', () => {
  it('completes the input of each file with its own schema', async () => {
    const service = language();
    const [a, b] = [input('a'), input('b')];
    assert.deepEqual(await labels(service, '{"input": {|}}', a), ['a', 'part']);
    assert.deepEqual(await labels(service, '{"input": {|}}', b), ['b', 'part']);
    assert.deepEqual(await labels(service, '{"input": {"part": {|}}}', a), ['deep']);
    assert.deepEqual(await labels(service, '{"input": {"a": |}}', a), ['"x"', '"y"']);
    assert.deepEqual(await labels(service, '{|}', undefined), ['endpoint', 'input']);
  });

  it('uses its own schema in a file with $schema', async () => {
    const text = '{"$schema": "http://json-schema.org/draft-07/schema#", "input": {|}}';
    assert.deepEqual(await labels(language(), text, input('a')), ['a', 'part']);
  });

  it('offers values of members, escaped as placeholders require', async () => {
    const service = language();
    const text = '{"endpoint": }';
    const { items } = await service.complete(service.parse(text, undefined, schemaOf), text.length - 1);
    const [offered] = items.filter(({ detail }) => detail === 'd');
    assert.equal(offered?.label, '"a \\"b\\" $1"');
    assert.equal(offered.textEdit?.newText, '"a \\\\"b\\\\" \\$1"');
  });

  it('uses new schemas after a reset', async () => {
    const service = language();
    assert.deepEqual(await labels(service, '{"input": {|}}', input('a')), ['a', 'part']);
    service.reset();
    assert.deepEqual(await labels(service, '{"input": {|}}', input('c')), ['c', 'part']);
  });

  it('describes a member at its key and at its value', async () => {
    const service = language();
    const text = '{"input": {"a": "x"}}';
    const parsed = service.parse(text, input('a'), schemaOf);
    for (const at of ['"a"', '"x"']) {
      const { description, values, defaultValue, start } = (await service.describe(parsed, text.indexOf(at) + 1)) ?? {};
      assert.deepEqual([description, values, defaultValue], ['Words about a', ['x', 'y'], 'x']);
      assert.equal(start, text.indexOf(at));
    }
    assert.equal(await service.describe(parsed, text.length), undefined);
  });

  it('keeps working after a check with the same schema', async () => {
    const service = language();
    const schema = input('a');
    assert.equal((await service.check('{"input": {"a": 5}}', ['input'], schema)).length, 2);
    assert.deepEqual(await labels(service, '{"input": {|}}', schema), ['a', 'part']);
    assert.equal((await service.check('{"input": {"part": {"deep": "x"}}}', ['input'], schema)).length, 1);
  });

  it('reports duplicate members', async () => {
    const found = await language().check('{"input": {"a": 1, "a": 2}}', ['input'], { url: 'any:/x', schema: true });
    assert.deepEqual(
      found.map(({ code }) => code),
      ['duplicateKey', 'duplicateKey'],
    );
  });
});
