import assert from 'node:assert/strict';
import { checkInput } from '../../../../src/features/jobs/model/schema/checkInput.ts';
import {
  readInputSchema,
  limitedTo,
  relativeUrl,
  SchemaError,
  type SchemaFiles,
} from '../../../../src/features/jobs/model/schema/schemaFiles.ts';

const filesOf = (texts: Readonly<Record<string, string>>): SchemaFiles => ({
  read: (url) => (url in texts ? Promise.resolve(texts[url] ?? '') : Promise.reject(new Error('ENOENT'))),
});

const schema = {
  type: 'object',
  required: ['prompt'],
  additionalProperties: false,
  properties: {
    prompt: { type: 'string' },
    steps: { $ref: '#/definitions/steps' },
    mode: { enum: ['fast', 'good'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  definitions: { steps: { type: 'integer', minimum: 1, maximum: 50 } },
};

const rejects = (promise: Promise<unknown>, reason: string) =>
  assert.rejects(promise, (error) => error instanceof SchemaError && error.reason === reason);

describe('The check of a value with a schema', () => {
  it('accepts a valid value', async () => {
    assert.deepEqual(await checkInput({ schema }, { value: { prompt: 'x', steps: 3, mode: 'good', tags: ['a'] } }), []);
    assert.deepEqual(await checkInput({ schema: true }, { value: null }), []);
  });

  it('returns the path, the place, and the message of each violation', async () => {
    const text = '{ // comment\n "steps": 99, "mode": "slow", "tags": ["a", 5], "extra": 1, }';
    const found = await checkInput({ schema }, { text });
    assert.deepEqual(
      found.map(({ path, message, code, start, end }) => [path, text.slice(start, end), code, message]),
      [
        [[], '{', 'inputSchema', 'Missing property "prompt".'],
        [['steps'], '99', 'inputSchema', 'Value is above the maximum of 50.'],
        [['mode'], '"slow"', 'inputSchema', 'Value is not accepted. Valid values: "fast", "good".'],
        [['tags', 1], '5', 'inputSchema', 'Incorrect type. Expected "string".'],
        [['extra'], '"extra"', 'inputSchema', 'Property extra is not allowed.'],
      ].sort((a, b) => text.indexOf(String(a[1])) - text.indexOf(String(b[1]))),
    );
  });

  it('does not depend on a member named $schema', async () => {
    const found = await checkInput({ schema }, { value: { $schema: 'http://json-schema.org/draft-07/schema#' } });
    assert.deepEqual(found.map(({ message }) => message).sort(), [
      'Missing property "prompt".',
      'Property $schema is not allowed.',
    ]);
  });

  it('reports invalid JSON at its place', async () => {
    assert.deepEqual(
      (await checkInput({ schema }, { text: '{"a": }' })).map(({ code, start }) => [code, start]),
      [['syntax', 6]],
    );
  });

  it('rejects every value for the schema false', async () => {
    assert.equal((await checkInput({ schema: false }, { value: 1 })).length, 1);
  });

  it('follows references to files of the same folder, and reports those that cannot be read', async () => {
    const url = 'file:///ws/in.json';
    const files = filesOf({ 'file:///ws/parts/a.json': '{"definitions": {"n": {"type": "number"}}}' });
    const refer = (ref: string) => ({ url, schema: { properties: { n: { $ref: ref } } } });
    const found = await checkInput(refer('parts/a.json#/definitions/n'), { value: { n: 'x' } }, files);
    assert.deepEqual(
      found.map(({ path, code }) => [path, code]),
      [[['n'], 'inputSchema']],
    );
    const missing = await checkInput(refer('parts/none.json'), { value: { n: 'x' } }, files);
    assert.deepEqual(
      missing.map(({ code }) => code),
      ['reference'],
    );
  });

  it('follows references in a folder with special characters', async () => {
    const folder = 'file:///my%20ws%20%28%C3%A4%29/';
    const read: string[] = [];
    const files = limitedTo([folder], {
      read: (url) => {
        read.push(decodeURIComponent(url));
        return Promise.resolve('{"type": "number"}');
      },
    });
    const given = { url: `${folder}in.json`, schema: { $ref: 'n.json' } };
    assert.equal((await checkInput(given, { value: 'x' }, files)).length, 1);
    assert.deepEqual(read, ['file:///my ws (ä)/n.json']);
  });

  it('never requests a schema from the network', async () => {
    const requested: string[] = [];
    const files = limitedTo(['file:///ws/'], {
      read: (url) => {
        requested.push(url);
        return Promise.resolve('{}');
      },
    });
    const remote = { url: 'file:///ws/in.json', schema: { $ref: 'https://example.com/schema.json' } };
    const [problem] = await checkInput(remote, { value: {} }, files);
    assert.equal(problem?.code, 'reference');
    assert.match(problem.message, /network/);
    assert.deepEqual(requested, []);
  });

  it('ends for a schema that refers to itself', async () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } }, additionalProperties: false };
    const found = await checkInput({ schema: tree }, { value: { child: { child: { chld: {} } } } });
    assert.deepEqual(
      found.map(({ path }) => path),
      [['child', 'child', 'chld']],
    );
  });
});

describe('A schema file', () => {
  it('can have comments, and be a boolean', async () => {
    const files = filesOf({ 'file:///a.json': '{ // x\n "type": "object", }', 'file:///b.json': 'true' });
    assert.deepEqual((await readInputSchema(files, 'file:///a.json')).schema, { type: 'object' });
    assert.equal((await readInputSchema(files, 'file:///b.json')).schema, true);
  });

  it('is rejected with a reason if it is broken', async () => {
    const files = limitedTo(['file:///ws/'], filesOf({ 'file:///ws/a': '{', 'file:///ws/b': '[]' }));
    await rejects(readInputSchema(files, 'file:///ws/a'), 'notJson');
    await rejects(readInputSchema(files, 'file:///ws/b'), 'notASchema');
    await rejects(readInputSchema(files, 'file:///ws/c'), 'unreadable');
    await rejects(readInputSchema(files, 'file:///etc/passwd'), 'outside');
    await rejects(readInputSchema(files, 'file:///ws/..%2fa'), 'outside');
    await rejects(readInputSchema(files, 'https://example.com/'), 'remote');
  });

  it('has a path relative to its manifest, with any characters', () => {
    assert.equal(relativeUrl('in #1?.json', 'file:///ws/a%20b/x.endpoint.yaml'), 'file:///ws/a%20b/in%20%231%3F.json');
    assert.equal(relativeUrl('..\\s.json', 'vscode-vfs://github/o/r/x/y.yaml'), 'vscode-vfs://github/o/r/s.json');
  });
});
