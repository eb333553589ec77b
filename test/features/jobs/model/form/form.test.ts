import assert from 'node:assert/strict';
import { formContent } from '../../../../../src/features/jobs/form/formView.ts';
import { rememberedInput } from '../../../../../src/features/jobs/form/formValueStore.ts';
import { defaultInput } from '../../../../../src/features/jobs/model/sampleInput.ts';
import { formFields } from '../../../../../src/features/jobs/model/form/fields.ts';
import { changesForValue, withChanges } from '../../../../../src/features/jobs/model/jobFileChanges.ts';
import { formValues, shortInput } from '../../../../../src/features/jobs/model/form/formValues.ts';
import { JsonLanguage } from '../../../../../src/features/jobs/model/schema/jsonLanguage.ts';

const controlOf = (schema: unknown, name = 'x') => formFields({ properties: { [name]: schema } })[0]?.control;

describe('The fields of a form', () => {
  it('have a control for each type', () => {
    assert.deepEqual(controlOf({ type: 'string' }), { kind: 'text', isMultiline: false, isSecret: false });
    assert.deepEqual(controlOf({ type: 'string' }, 'prompt'), { kind: 'text', isMultiline: true, isSecret: false });
    assert.deepEqual(controlOf({ type: ['integer', 'null'], minimum: 1 }), {
      kind: 'number',
      isInteger: true,
      range: 'at least 1',
    });
    assert.deepEqual(controlOf({ type: 'boolean' }), { kind: 'flag' });
    assert.deepEqual(controlOf({ enum: ['a', 1, null] }), {
      kind: 'choice',
      choices: [
        { label: 'a', value: 'a' },
        { label: '1', value: 1 },
        { label: 'null', value: null },
      ],
    });
    assert.deepEqual(controlOf({ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }), {
      kind: 'choice',
      choices: [
        { label: 'One', value: 1 },
        { label: '2', value: 2 },
      ],
    });
    assert.deepEqual(controlOf({ type: 'array', items: { type: 'number' } }), {
      kind: 'list',
      item: { kind: 'number', isInteger: false, range: '' },
    });
    for (const any of [
      {},
      true,
      { type: 'array' },
      { type: 'object' },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      { type: ['string', 'number'] },
      { type: 'array', items: { type: 'array' } },
    ])
      assert.deepEqual(controlOf(any), { kind: 'json' }, JSON.stringify(any));
    assert.deepEqual(controlOf({ anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] })?.kind, 'text');
  });

  it('take files as the schema says, or as the name suggests', () => {
    assert.deepEqual(controlOf({ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }), {
      kind: 'file',
      file: 'base64',
      mediaType: 'image/png',
    });
    assert.deepEqual(controlOf({ type: 'string', format: 'data-url' }), { kind: 'file', file: 'dataUrl' });
    assert.deepEqual(controlOf({ type: 'string', contentMediaType: 'application/pdf' })?.kind, 'file');
    assert.deepEqual(controlOf({ type: 'string', contentMediaType: 'text/markdown' })?.kind, 'text');
    assert.deepEqual(controlOf({ type: 'string' }, 'init_image'), {
      kind: 'text',
      isMultiline: false,
      isSecret: false,
      file: 'dataUrl',
    });
    assert.deepEqual(controlOf({ type: 'string' }, 'image_base64'), {
      kind: 'text',
      isMultiline: false,
      isSecret: false,
      file: 'base64',
    });
  });

  it('are grouped by one level, required first, and follow references', () => {
    const fields = formFields({
      $defs: {
        size: {
          type: 'object',
          required: ['h'],
          properties: {
            w: { type: 'integer' },
            h: { type: 'integer' },
            deep: { type: 'object', properties: { a: {} } },
          },
        },
      },
      type: 'object',
      required: ['size', 'b'],
      properties: { a: { default: 1 }, b: { default: 2 }, size: { $ref: '#/$defs/size', title: 'Size' } },
    });
    assert.deepEqual(
      fields.map(({ name, isRequired }) => [name, isRequired]),
      [
        ['size', true],
        ['a', false],
        ['b', false],
      ],
    );
    const [size] = fields;
    assert.ok(size?.control.kind === 'group');
    assert.deepEqual(
      size.control.members.map(({ name, control }) => [name, control.kind]),
      [
        ['h', 'number'],
        ['w', 'number'],
        ['deep', 'json'],
      ],
    );
    assert.equal(size.label, 'Size');
  });

  it('are bounded', () => {
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { $ref: '#' }]));
    assert.equal(formFields({ type: 'object', properties, required: Object.keys(properties) }).length, 200);
    assert.deepEqual(formFields(true), []);
    assert.deepEqual(formFields({ $ref: '#' }), []);
  });
});

describe('A change by a form', () => {
  const change = (text: string, path: (string | number)[], value: unknown) =>
    withChanges(text, changesForValue(text, path, value));

  it('keeps comments, other members, indentation, and line ends', () => {
    const text =
      '{\r\n\t// a job\r\n\t"input": {\r\n\t\t"a": 1, // one\r\n\t\t"b": [1,2], /* two */\r\n\t},\r\n\t"policy": {}\r\n}\r\n';
    assert.equal(change(text, ['a'], 'x'), text.replace('"a": 1', '"a": "x"'));
    assert.equal(change(text, ['b', 1], 5), text.replace('2]', '5]'));
    assert.match(change(text, ['c'], true), /\r\n\t\t"c": true/);
    assert.doesNotMatch(change(text, ['c'], true), /[^\r]\n/);
  });

  it('adds and removes members of a missing input', () => {
    assert.deepEqual(JSON.parse(change('{}', ['a', 'b'], 1)), { input: { a: { b: 1 } } });
    assert.deepEqual(JSON.parse(change('{"input":{"a":[1]}}', ['a', -1], 2)), { input: { a: [1, 2] } });
    assert.deepEqual(JSON.parse(change('{"input":{}}', ['a', -1], 2)), { input: { a: [2] } });
    assert.deepEqual(JSON.parse(change('{"input":{"a":[1,2]}}', ['a', 0], undefined)), { input: { a: [2] } });
    assert.deepEqual(JSON.parse(change('{"input":{"a":1,"b":2}}', ['a'], undefined)), { input: { b: 2 } });
    assert.equal(change('{"input":{}}', ['a'], undefined), '{"input":{}}');
    assert.deepEqual(JSON.parse(change('{"input":{}}', ['__proto__'], 1)), JSON.parse('{"input":{"__proto__":1}}'));
  });
});

describe('The values of a form', () => {
  const schema = {
    properties: {
      a: { type: 'integer' },
      list: { type: 'array', items: { type: 'string' } },
      file: { type: 'string', contentEncoding: 'base64' },
      secret: { type: 'string', writeOnly: true },
      group: { type: 'object', properties: { b: { type: 'string', format: 'password' }, c: { type: 'string' } } },
      image: { type: 'string' },
    },
  };
  const fields = formFields(schema);

  it('are those of the JSON. A value that fits no control is JSON, and a large one is left out', () => {
    assert.deepEqual(formValues(fields, { a: 'x', list: ['y'], file: 'AAAA', group: 5 }), [
      { path: ['a'], value: 'x', isJson: true },
      { path: ['list'], count: 1 },
      { path: ['list', 0], value: 'y' },
      { path: ['file'], large: { bytes: 3 } },
      { path: ['group'], value: 5, isJson: true },
    ]);
    const [large] = formValues(fields, { image: `data:image/png;base64,${'A'.repeat(40_000)}` });
    assert.deepEqual(large, { path: ['image'], large: { bytes: 30_000, mediaType: 'image/png' } });
    assert.deepEqual(shortInput({ a: ['x'.repeat(30_000)] }).shortened, ['["a",0]']);
  });

  it('are remembered without files, hidden values, and secrets', () => {
    const input = {
      ...{ a: 1, list: ['x'], file: 'AAAA', secret: 'x', group: { b: 'x', c: 'y' }, unknown: 1 },
      image: 'data:image/png;base64,AAAA',
    };
    assert.deepEqual(rememberedInput(fields, input), { a: 1, list: ['x'], group: { c: 'y' } });
    assert.deepEqual(
      rememberedInput(formFields({ properties: { api_key: { type: 'string' } } }), {
        api_key: 'sk-abcdefghijklmnopqrstuvwxyz0123456789',
      }),
      {},
    );
    assert.deepEqual(rememberedInput(fields, { list: ['x'.repeat(10_000)] }), {});
  });

  it('start with the defaults and the constants of the schema', () => {
    assert.deepEqual(
      defaultInput({ properties: { a: { default: 1 }, b: { const: 'x' }, c: { default: null }, d: {} } }),
      { a: 1, b: 'x' },
    );
  });
});

describe('The content of a form', () => {
  const language = new JsonLanguage({ files: { read: () => Promise.reject(new Error('none')) } });
  const contentOf = (schema: Record<string, unknown>, text: string) => {
    const input = { url: 'file:///ws/in.json', schema };
    return formContent(text, formFields(schema), (short) => language.check(short, [], input));
  };

  it('names missing values once, and refuses no run for a schema that cannot be checked', async () => {
    const { problems, hasProblems } = await contentOf(
      { required: ['a', 'b'], properties: { a: {}, b: {} } },
      '{"input":{"a":1}}',
    );
    assert.deepEqual([problems.map(({ path, isMissing }) => [path, isMissing]), hasProblems], [[[['b'], true]], true]);
    const pattern = { properties: { a: { type: 'string', pattern: '(a+)+$' } } };
    const stopped = await contentOf(pattern, JSON.stringify({ input: { a: `${'a'.repeat(40)}!` } }));
    assert.deepEqual([stopped.problems.map(({ path }) => path), stopped.hasProblems], [[[]], false]);
    assert.match(stopped.problems[0]?.message ?? '', /stopped after 1000 ms/);
  });

  it('is blocked by JSON that has no object as its input', async () => {
    for (const text of ['', '{', '[]', '{"input": 5}', '['.repeat(100_000)])
      assert.notEqual((await contentOf({}, text)).blocked, undefined, text.slice(0, 20));
    assert.equal((await contentOf({}, '{}')).blocked, undefined);
  });
});
