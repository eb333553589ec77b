import assert from 'node:assert/strict';
import {
  type JsonSchema,
  readInputSchema,
  SchemaError,
} from '../../../../src/features/jobs/model/schema/schemaFiles.ts';
import { JsonLanguage } from '../../../../src/features/jobs/model/schema/jsonLanguage.ts';
import { sampleInput } from '../../../../src/features/jobs/model/sampleInput.ts';

/* Schemas of a workspace must not block the editor. */

const LETTERS = `${'a'.repeat(46)}!`;
const EXPONENTIAL = '^(a+)+$';
const language = (files: Readonly<Record<string, string>> = {}) =>
  new JsonLanguage({
    files: { read: (url) => (url in files ? Promise.resolve(files[url] ?? '') : Promise.reject(new Error(url))) },
  });
const used = (schema: JsonSchema) => ({ url: 'file:///ws/in.json', schema });
const documentWith = (input: { readonly url: string } | undefined) => ({
  type: 'object',
  properties: { endpoint: { type: 'string' }, input: input ? { $ref: input.url } : { type: 'object' } },
});

/** Each level has two alternatives, which are the same next level. */
const alternatives = (levels: number) => {
  const level = (index: number) => {
    const next = { $ref: `#/definitions/d${index + 1}` };
    return { anyOf: [next, next] };
  };
  const definitions = Object.fromEntries(Array.from({ length: levels }, (_, index) => [`d${index}`, level(index)]));
  return { $ref: '#/definitions/d0', definitions: { ...definitions, [`d${levels}`]: { type: 'null' } } };
};

const hostile: Readonly<Record<string, JsonSchema>> = {
  'a pattern': { properties: { a: { pattern: EXPONENTIAL } } },
  'a pattern of names': { patternProperties: { [EXPONENTIAL]: { type: 'null' } } },
  'a pattern under propertyNames': { propertyNames: { pattern: EXPONENTIAL } },
  'a pattern in another file': { $ref: 'other.json' },
  alternatives: alternatives(40),
};

describe('A schema that takes exponential time', () => {
  const text = JSON.stringify({ input: { a: LETTERS, [LETTERS]: 1 } });
  const files = { 'file:///ws/other.json': JSON.stringify(hostile['a pattern']) };

  for (const [name, schema] of Object.entries(hostile)) {
    it(`is stopped with ${name}`, async () => {
      const found = await language(files).check(text, ['input'], used(schema));
      assert.deepEqual(
        found.map(({ code, path }) => [code, path]),
        [['stopped', ['input']]],
      );
    });

    it(`is stopped with ${name} in completion and hover, which then continue without it`, async () => {
      const service = language(files);
      const given = used(schema);
      const offset = text.indexOf('aaa');
      await service.describe(service.parse(text, given, documentWith), offset);
      await service.complete(service.parse(text, given, documentWith), offset);
      const { items } = await service.complete(service.parse('{}', given, documentWith), 1);
      assert.deepEqual(items.map(({ label }) => label).sort(), ['endpoint', 'input']);
    });
  }

  it('is tried once, and again after a change of the schema', async () => {
    const service = language();
    const input = used({ properties: { a: { pattern: EXPONENTIAL } } });
    await service.check(text, ['input'], input);
    const valid = '{"input":{"a":"a"}}';
    assert.equal((await service.check(valid, ['input'], input))[0]?.code, 'stopped');
    service.reset();
    assert.deepEqual(await service.check(valid, ['input'], input), []);
  });

  it('does not affect another schema', async () => {
    const service = language();
    const stopped = service.check(text, ['input'], used({ properties: { a: { pattern: EXPONENTIAL } } }));
    const other = { url: 'file:///ws/b.json', schema: { required: ['b'] } };
    const found = service.check(text, ['input'], other);
    assert.equal((await stopped)[0]?.code, 'stopped');
    assert.deepEqual(
      (await found).map(({ message }) => message),
      ['Missing property "b".'],
    );
    assert.deepEqual(await service.check('{"input":{"b":1}}', ['input'], other), []);
  });
});

describe('A schema that cannot be applied', () => {
  it('is reported if it refers to itself without an end', async () => {
    for (const schema of [
      { allOf: [{ $ref: '#' }] },
      { not: { $ref: '#' } },
      { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
      { if: { $ref: '#' } },
    ]) {
      const found = await language().check('{"input":{}}', ['input'], used(schema));
      assert.equal(found.length, 1, JSON.stringify(schema));
      assert.match(found[0]?.code ?? '', /^(?:reference|stopped)$/);
    }
  });

  it('is reported if it is nested too deeply', async () => {
    const deep = `${'{"not":'.repeat(60_000)}{}${'}'.repeat(60_000)}`;
    await assert.rejects(
      readInputSchema({ read: () => Promise.resolve(deep) }, 'file:///ws/in.json'),
      (error) => error instanceof SchemaError && error.reason === 'notJson',
    );
    const files = { 'file:///ws/other.json': deep };
    const found = await language(files).check('{"input":{}}', ['input'], used({ $ref: 'other.json' }));
    assert.deepEqual(
      found.map(({ code }) => code),
      ['reference'],
    );
  });
});

describe('A sample for a schema', () => {
  it('is bounded for a schema that refers to itself many times', () => {
    const names = Array.from({ length: 26 }, (_, index) => `k${index}`);
    const members = Object.fromEntries(names.map((name) => [name, { $ref: '#' }]));
    const sample = sampleInput({ type: 'object', properties: members, required: names });
    assert.ok(JSON.stringify(sample).length < 1_000_000);
  });

  it('is empty for parts that refer to themselves', () => {
    assert.deepEqual(sampleInput({ allOf: [{ $ref: '#' }, { $ref: '#' }] }), {});
  });
});
