import assert from 'node:assert/strict';
import { checkOutputSchema } from '../../../../../src/features/jobs/expectations/actions/checkOutputSchema.ts';
import { pathText } from '../../../../../src/features/jobs/model/expectations/mismatch.ts';

describe('JSON schema of an output', () => {
  const uri = 'file:///work%20space/jobs/hello.job.json';

  /** Checks an output with a schema. `files` has the texts by URI. */
  async function check(schema: string | Record<string, unknown>, output: unknown, files: Record<string, string> = {}) {
    const read: string[] = [];
    const readText = (wanted: string): Promise<string> => {
      read.push(wanted);
      const text = files[wanted];
      return text === undefined ? Promise.reject(new Error(`${wanted} does not exist`)) : Promise.resolve(text);
    };
    const found = await checkOutputSchema({ schema }, { output }, { uri, readText });
    return { found: found.map(({ code, path }) => `${code} ${pathText(path)}`), read, mismatches: found };
  }

  const items = {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: { $ref: '#/definitions/item' } } },
    definitions: { item: { type: 'object', properties: { name: { type: 'string' } } } },
  };

  it('accepts an output that follows it', async () => {
    assert.deepEqual((await check(items, { items: [{ name: 'a' }] })).found, []);
  });

  it('finds each violation at its path', async () => {
    const { found, mismatches } = await check(items, { items: [{ name: 'a' }, { name: 2 }] });
    assert.deepEqual(found, ['schemaViolation $.output.items[1].name']);
    assert.equal(mismatches[0]?.actual, 2);
    assert.deepEqual(mismatches[0].member, ['expect', 'schema']);
    assert.deepEqual((await check(items, {})).found, ['schemaViolation $.output']);
    assert.deepEqual((await check({ type: 'object' }, 'text')).found, ['schemaViolation $.output']);
  });

  it('does not change the schema of the job file', async () => {
    const schema = structuredClone(items);
    await check(schema, { items: [{ name: 'a' }] });
    assert.deepEqual(schema, items);
  });

  it('is read from a file relative to the job file, with its references', async () => {
    const files = {
      'file:///work%20space/schemas/my%20output.json': '{"properties": {"a": {"$ref": "./a.json#/definitions/a"}}}',
      'file:///work%20space/schemas/a.json': '{"definitions": {"a": {"type": "number"}}}',
    };
    assert.deepEqual((await check('../schemas/my output.json', { a: 1 }, files)).found, []);
    assert.deepEqual((await check('../schemas/my output.json', { a: '1' }, files)).found, [
      'schemaViolation $.output.a',
    ]);
  });

  it('resolves references of an inline schema relative to the job file', async () => {
    const files = { 'file:///work%20space/jobs/a.json': '{"type": "number"}' };
    assert.deepEqual((await check({ properties: { a: { $ref: 'a.json' } } }, { a: '1' }, files)).found, [
      'schemaViolation $.output.a',
    ]);
  });

  it('cannot be used if a file is missing, and never comes from a server', async () => {
    assert.deepEqual((await check('missing.json', {})).found, ['unusableSchema $.output']);
    const remote = await check({ $ref: 'https://example.com/schema.json' }, {});
    assert.deepEqual([remote.found, remote.read], [['unusableSchema $.output'], []]);
    const direct = await check('https://example.com/schema.json', {});
    assert.deepEqual(direct.found, ['unusableSchema $.output']);
    assert.deepEqual((await check({ $ref: '#/definitions/none' }, {})).found, ['unusableSchema $.output']);
    assert.deepEqual((await check('broken.json', {}, { 'file:///work%20space/jobs/broken.json': '{' })).found, [
      'unusableSchema $.output',
    ]);
  });

  it('is stopped at its time limit', async () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    const { mismatches } = await check(schema, { a: `${'a'.repeat(46)}!` });
    assert.deepEqual(mismatches, [
      { code: 'stoppedSchema', path: ['output'], member: ['expect', 'schema'], expected: schema, actual: 1_000 },
    ]);
  });

  it('requires an output', async () => {
    assert.deepEqual((await check({}, undefined)).found, ['missingValue $.output']);
  });
});
