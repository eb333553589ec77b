import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { assertLinear } from '../support/growth.ts';
import { callers } from './callers.ts';
import { coveredElsewhere, notRead } from './reasons.ts';
import { functionsIn, textFunctions, type TextFunction } from './textFunctions.ts';

/*
 * Text of a platform, a worker, or a workspace must not block the editor or the platform. Each exported function that receives a text gets
 * hostile texts. A function with other required parameters needs a caller in `reasons.ts`, or a reason.
 */

const SIZES = [16 * 1024, 64 * 1024];
const ESC = '\u001b';

const nested = (open: string, close: string) => (size: number) => {
  const levels = Math.floor(size / (open.length + close.length));
  return open.repeat(levels) + close.repeat(levels);
};
const repeated =
  (body: string, head = '', tail = '') =>
  (size: number) =>
    head + body.repeat(size / body.length) + tail;

const shapes: Readonly<Record<string, (size: number) => string>> = {
  'nested lists': nested('[', ']'),
  'nested objects': nested('{"a":', '}'),
  'open lists': repeated('['),
  'open objects': repeated('{"a":'),
  'many members': (size) => `{${Array.from({ length: size / 12 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'many items': repeated('1,', '[', '1]'),
  'an unterminated string': repeated('a', '"'),
  'an unterminated string of escapes': repeated('\\"', '"'),
  'a run of one letter': repeated('a'),
  'a run of digits': repeated('1', '', 'x'),
  'a run of slashes': repeated('/', 'https://a', 'x'),
  'spaces before text': repeated(' ', '', 'x'),
  'spaces inside of text': repeated(' ', 'x', 'x'),
  'line breaks': repeated('\n', '', 'x'),
  'line breaks with spaces': repeated(' \n', 'x', 'x'),
  'carriage returns': repeated('\r'),
  'short lines': repeated('a: b\n'),
  'many columns': repeated('a,'),
  'many quoted columns': repeated('"a",'),
  quotes: repeated("'"),
  'double quotes': repeated('"'),
  backslashes: repeated('\\'),
  'colors of a terminal': repeated(`${ESC}[1;31m`),
  'open sequences of a terminal': repeated(`${ESC}]0;`),
  'bytes of an open sequence': repeated(';', `${ESC}[1`),
  'open tags': repeated('<'),
  'open templates': repeated('{{'),
  'open references': repeated('${'),
  comments: repeated('/*'),
  'number signs': repeated('# '),
  dashes: repeated('- '),
  colons: repeated(': '),
  dots: repeated('a.'),
  'percent signs': repeated('%'),
  'joined characters': repeated('a\u200d'),
  'halves of characters': repeated('\ud800'),
};

const texts = new Map<string, string>();

/** Returns a text of a shape. The texts are kept, because many functions get them. */
function textOf(shape: string, size: number): string {
  const key = `${shape} ${size}`;
  const text = texts.get(key) ?? shapes[shape]?.(size) ?? '';
  texts.set(key, text);
  return text;
}

type Call = (text: string) => unknown;

/** Wraps a function of the product, which may reject a text by an error. */
async function callerOf({ id, file, name, kind, isUnary }: TextFunction): Promise<Call | undefined> {
  const call = callers[id] ?? (isUnary ? await unaryCall(`../../${file}`, name, kind) : undefined);
  if (!call) return undefined;
  return (text) => {
    try {
      const result = call(text);
      if (result instanceof Promise) result.catch(() => undefined);
      return result;
    } catch {
      return undefined;
    }
  };
}

async function unaryCall(file: string, name: string, kind: TextFunction['kind']): Promise<Call> {
  const module = (await import(file)) as Record<string, (given: unknown) => unknown>;
  return (text) => module[name]?.(inputOf(kind, text));
}

function inputOf(kind: TextFunction['kind'], text: string): unknown {
  if (kind === 'bytes') return Buffer.from(text);
  return kind === 'texts' ? text.split('\n') : text;
}

const found = textFunctions();
const reasons: Readonly<Record<string, unknown>> = { ...notRead, ...coveredElsewhere };
const tested = found.filter(({ id, name }) => !(id in reasons) && !name.endsWith('Error.constructor'));

describe('The functions that receive a text', () => {
  it('are called here, or have a reason not to be', () => {
    const missing = tested.filter(({ id, isUnary }) => !isUnary && !(id in callers)).map(({ id }) => id);
    assert.deepEqual(missing, [], 'each needs a caller or a reason in test/growth/reasons.ts');
  });

  it('are the only ones with a caller or a reason', () => {
    const known = new Set(found.map(({ id }) => id));
    const given = [...Object.keys(callers), ...Object.keys(notRead), ...Object.keys(coveredElsewhere)];
    assert.deepEqual(
      given.filter((id) => !known.has(id)),
      [],
    );
    assert.equal(new Set(given).size, given.length, 'each has one caller or one reason');
  });

  it('have an existing test that names them, if another test covers them', () => {
    for (const [id, test] of Object.entries(coveredElsewhere)) {
      assert.ok(existsSync(path.join('test', test)), test);
      const module = (id.split('#')[0] ?? '').slice('src/'.length);
      const text = readFileSync(path.join('test', test), 'utf8');
      assert.ok(text.includes('assertLinear') && text.includes(module), `${test} imports ${module}`);
    }
  });

  it('are found by the names and types of parameters', () => {
    const source = `
      export function read(text: string) {}
      export const bytesOf = (id: string, bytes: Uint8Array, at: number) => 1;
      export class Reader { constructor(lines: readonly string[]) {} feed(chunk: Buffer) {} #own(text: string) {} }
      function local(text: string) {}
      export function named(name: string, count: number) {}`;
    assert.deepEqual(
      functionsIn('a.ts', source).map(({ name, kind, isUnary }) => [name, kind, isUnary]),
      [
        ['read', 'text', true],
        ['bytesOf', 'bytes', false],
        ['Reader.constructor', 'texts', false],
        ['Reader.feed', 'bytes', false],
      ],
    );
  });
});

for (const entry of tested)
  it(`${entry.id} takes linear time`, async () => {
    const call = await callerOf(entry);
    if (!call) return;
    for (const shape of Object.keys(shapes))
      try {
        assertLinear(SIZES, (size) => textOf(shape, size), call);
      } catch (error) {
        throw new Error(`${shape}: ${(error as Error).message}`, { cause: error });
      }
  });
