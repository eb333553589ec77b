import assert from 'node:assert/strict';
import fc from 'fast-check';
import { declaredInput, mainFiles } from '../../../../../src/features/jobs/model/declared/declaredInput.ts';
import { javascriptInput } from '../../../../../src/features/jobs/model/declared/javascriptInput.ts';
import { pythonInput } from '../../../../../src/features/jobs/model/declared/pythonInput.ts';
import { pythonModule } from '../../../../../src/features/jobs/model/declared/pythonModule.ts';

const python = (text: string) => pythonInput(pythonModule(text), () => undefined);
const filesOf = (files: Readonly<Record<string, string>>) => {
  const read: string[] = [];
  return {
    read: (file: string) => {
      read.push(file);
      return Promise.resolve(files[file]);
    },
    names: read,
  };
};

describe('The declared input of a worker', () => {
  it('is found in the modules that its main file imports from its folder', async () => {
    const files = filesOf({
      'w/src/handler.py': 'import runpod\nfrom typing import Any\nfrom lib.schemas import (\n    INPUT_SCHEMA,\n)\n',
      'w/src/lib/schemas.py':
        'from .sizes import SIZES\nINPUT_SCHEMA = {"a": {"type": int, "constraints": lambda a: a in SIZES}}',
      'w/src/lib/sizes.py': 'SIZES = [1, 2]',
    });
    const schema = (await declaredInput(files, 'w/src/handler.py')) as { properties: unknown };
    assert.deepEqual(schema.properties, { a: { type: 'integer', enum: [1, 2] } });
    assert.deepEqual(files.names, ['w/src/handler.py', 'w/src/lib/schemas.py', 'w/src/lib/sizes.py']);
  });

  it('reads at most a dozen of them, also if they import each other', async () => {
    const imports = Array.from({ length: 50 }, (_, index) => `from m${index} import a${index}`).join('\n');
    const files = filesOf({ 'handler.py': imports, 'm0.py': 'from m1 import a', 'm1.py': 'from m0 import a' });
    assert.equal(await declaredInput(files, 'handler.py'), undefined);
    assert.equal(files.names.length, 13);
  });

  it('is read from JavaScript and TypeScript, if it is a JSON schema or a zod object', async () => {
    const files = filesOf({
      'handler.mjs': `import { inputSchema } from './schema.js';`,
      'schema.ts': `export const inputSchema = z.strictObject({
        prompt: z.string().min(1).describe('What'), // it's the text
        steps: z.coerce.number().int().min(1).max(50).default(20),
        mode: z.enum(['a', 'b']).optional(),
        kind: z.literal('x'), tags: z.array(z.string()).nonempty(), any: z.custom((v) => /['"]/.test(v)),
        when: z.string().nullable(),
      });`,
    });
    assert.deepEqual(await declaredInput(files, 'handler.mjs'), {
      type: 'object',
      properties: {
        prompt: { type: 'string', minLength: 1, description: 'What' },
        steps: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
        mode: { enum: ['a', 'b'] },
        kind: { enum: ['x'] },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        any: {},
        when: { type: ['string', 'null'] },
      },
      required: ['prompt', 'kind', 'tags', 'when'],
      additionalProperties: false,
    });
    const json = `const inputSchema: Schema = { type: 'object', properties: { a: { type: 'number', minimum: -1 } } } as const;`;
    assert.deepEqual(javascriptInput(json), { type: 'object', properties: { a: { type: 'number', minimum: -1 } } });
    for (const text of [
      'const input = job.input;',
      'const inputSchema = require("./x.json");',
      'const inputSchema = make({});',
    ])
      assert.equal(javascriptInput(text), undefined, text);
  });

  it('is in the script or the module of the command, or in a usual file', () => {
    assert.deepEqual(mainFiles(['../.venv/bin/python', '-u', 'handler.py']), ['handler.py']);
    assert.deepEqual(mainFiles(['python3', '-m', 'app.worker']), ['app/worker.py']);
    assert.deepEqual(mainFiles(['node', '--import', './a.mjs', 'handler.mjs']), ['./a.mjs', 'handler.mjs']);
    assert.ok(mainFiles(undefined).includes('src/handler.py'));
    assert.deepEqual(mainFiles(['start.sh', '/etc/x.py']), []);
  });
});

describe('A hostile source', () => {
  const declared = (value: string) => `INPUT_SCHEMA = ${value}\nvalidate(job["input"], INPUT_SCHEMA)\n`;
  const names = Array.from({ length: 200 }, (_, index) => `A${index} = [${`A${index + 1}, `.repeat(60)}]`).join('\n');
  const hostile: Readonly<Record<string, string>> = {
    'deep nesting': declared('{"a": {"type": '.repeat(20_000)),
    'deep brackets': declared('['.repeat(100_000)),
    'deep operators': declared(`{"a": {"type": int, "default": ${'-'.repeat(100_000)}1}}`),
    'names that refer to many names': `${names}\n${declared('{"a": {"type": str, "default": A0}}')}`,
    'a name that refers to itself': `A = A\nB = [B]\n${declared('{"a": {"type": A, "default": B}}')}`,
    'a class that contains itself': 'class A(A):\n    a: list[A]\n    b: "A | A"\nA(**job["input"])',
    'many calls': 'validate('.repeat(50_000),
    'a string without an end': declared(`{"a": """${'x'.repeat(1_000_000)}`),
    'many classes with many bases':
      Array.from({ length: 500 }, (_, i) => `class C${i}(${'C0, '.repeat(50)}C${i + 1}):\n    a: C${i + 1}`).join(
        '\n',
      ) + '\nC0(**job["input"])',
    'a text of 10 MB': `${'# nothing\n'.repeat(1_000_000)}${declared('{"a": {"type": str}}')}`,
  };

  for (const [name, text] of Object.entries(hostile))
    it(`with ${name} is read to an end`, () => {
      python(text);
      javascriptInput(text.replaceAll('INPUT_SCHEMA =', 'const inputSchema ='));
    });

  it('never throws', () => {
    const words = [
      'INPUT_SCHEMA',
      '=',
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      "'",
      '"""',
      'class',
      'def',
      'validate',
      'lambda',
      '\n',
      '    ',
      '**',
      'type',
      'str',
      '.',
      '|',
      'in',
      'not',
      '-',
      '1',
      '\\',
      '#',
      'const',
      'inputSchema',
      'z',
      'object',
      '`',
      '/',
      '=>',
      'Field',
      '...',
    ];
    const source = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), { maxLength: 200 });
    fc.assert(
      fc.property(source, fc.constantFrom('', ' '), (parts, space) => {
        const text = parts.join(space);
        for (const schema of [python(text), javascriptInput(text)]) if (schema) JSON.stringify(schema);
      }),
    );
  });

  it('does not lose the declarations after an unclosed bracket', () => {
    const schema = python('x = foo(1, [2\n\ndef run(a: int): ...\nrun(**job["input"])');
    assert.deepEqual(schema?.['required'], ['a']);
  });
});
