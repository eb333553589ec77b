import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { pathKey, ValueRecorder } from '../../../src/features/gate/model/recordedValue.ts';

const TOKEN = `hf_${'aB3'.repeat(12)}`;

const recorderOf = (
  secrets: Readonly<Record<string, string>> = {},
  kept: readonly (readonly (string | number)[])[] = [],
) => new ValueRecorder({ secrets: new Map(Object.entries(secrets)), name: 'j1', kept: new Set(kept.map(pathKey)) });

const reasonsOf = ({ replacements }: ValueRecorder) =>
  replacements.map(({ path, name, reason }) => [path.join('.'), name, reason]);

describe('A recorded input', () => {
  it('keeps ordinary values', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse' });
    const input = { prompt: 'a cat', steps: 20, deep: [{ flag: true, nothing: null }], max_tokens: 64 };
    assert.deepEqual(recorder.input(input), input);
    assert.deepEqual(recorder.replacements, []);
  });

  it('has the name of a known secret in its place, also of a number', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse', PIN: '98765432' });
    assert.deepEqual(recorder.input({ a: 'correct-horse', b: [98765432] }), {
      a: { $secret: 'API_TOKEN' },
      b: [{ $secret: 'PIN', type: 'number' }],
    });
    assert.deepEqual(reasonsOf(recorder), [
      ['input.a', 'API_TOKEN', 'known'],
      ['input.b.0', 'PIN', 'known'],
    ]);
  });

  it('has a name of its own for a text that contains a known secret, also in Base64', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse' });
    const basic = Buffer.from('me:correct-horse').toString('base64');
    assert.deepEqual(recorder.input({ headers: { first: 'Bearer correct-horse', second: `Basic ${basic}` } }), {
      headers: { first: { $secret: 'HEADERS_FIRST' }, second: { $secret: 'HEADERS_SECOND' } },
    });
  });

  it('has no value with the form of a key, and no address with a password', () => {
    const recorder = recorderOf();
    const input = {
      note: `use ${TOKEN}`,
      source: 'https://me:hunter2hunter@example.com/data',
      nested: `{"token": "abcdefg"}`,
    };
    assert.deepEqual(recorder.input(input), {
      note: { $secret: 'NOTE' },
      source: { $secret: 'SOURCE' },
      nested: { $secret: 'NESTED' },
    });
    assert.deepEqual(recorder.secrets, [TOKEN, 'hunter2hunter', 'abcdefg']);
  });

  it('has no values of members whose names secrets have, and of what they contain', () => {
    const recorder = recorderOf();
    assert.deepEqual(
      recorder.input({ password: 'opensesame', credentials: { user: 'ada', parts: ['x1', 42] }, empty: { token: '' } }),
      {
        password: { $secret: 'PASSWORD' },
        credentials: {
          user: { $secret: 'CREDENTIALS_USER' },
          parts: [{ $secret: 'CREDENTIALS_PARTS_0' }, { $secret: 'CREDENTIALS_PARTS_1', type: 'number' }],
        },
        empty: { token: '' },
      },
    );
  });

  it('keeps the value of such a member if the user says that it is no secret, but never a known secret', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse' }, [
      ['input', 'key'],
      ['input', 'token'],
      ['input', 'seed_key'],
    ]);
    assert.deepEqual(recorder.input({ key: 'images/cat.png', token: 'correct-horse', seed_key: 7 }), {
      key: 'images/cat.png',
      token: { $secret: 'API_TOKEN' },
      seed_key: 7,
    });
  });

  it('has no secret before the member that names it', () => {
    const recorder = recorderOf();
    assert.deepEqual(recorder.input({ log: 'login opensesame', password: 'opensesame' }), {
      log: { $secret: 'LOG' },
      password: { $secret: 'PASSWORD' },
    });
  });

  it('has different names for secrets at paths with the same letters', () => {
    const recorder = recorderOf({ A_TOKEN_2: 'correct-horse' });
    const names = ['a-token', 'a_token', 'a.token'];
    recorder.input(Object.fromEntries(names.map((name) => [name, `${name} value`])));
    assert.deepEqual(
      reasonsOf(recorder).map(([, name]) => name),
      ['A_TOKEN', 'A_TOKEN_3', 'A_TOKEN_4'],
    );
  });

  it('keeps the name of a member whose value is a placeholder with the same text', () => {
    assert.deepEqual(recorderOf().input({ password: 'password', api_key: 'api_key' }), {
      password: { $secret: 'PASSWORD' },
      api_key: { $secret: 'API_KEY' },
    });
  });

  it('is refused if the name of a member contains a secret', () => {
    for (const name of ['correct-horse', `x ${TOKEN}`])
      assert.throws(() => recorderOf({ API_TOKEN: 'correct-horse' }).input({ [name]: 1 }), /name of a member/);
  });

  it('is refused if it is nested too deeply', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 5_000; level++) deep = [deep];
    assert.throws(() => recorderOf().input({ deep }), /nested too deeply/);
  });

  it('has references to files for large texts and data URIs, and one file for the same content', () => {
    const recorder = recorderOf();
    const text = 'long '.repeat(1_000);
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
    const uri = `data:image/png;base64,${png.toString('base64')}`;
    const hash = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
    assert.deepEqual(recorder.input({ text, images: [uri, uri] }), {
      text: { $file: 'j1.1.txt', sha256: hash(text) },
      images: [
        { $file: 'j1.2.png', sha256: hash(png), mediaType: 'image/png' },
        { $file: 'j1.2.png', sha256: hash(png), mediaType: 'image/png' },
      ],
    });
    assert.deepEqual(
      recorder.files.map(({ name, content }) => [name, Buffer.from(content).toString('latin1')]),
      [
        ['j1.1.txt', text],
        ['j1.2.png', png.toString('latin1')],
      ],
    );
  });

  it('has no file with a secret', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse' });
    const uri = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
    const input = { a: `${'x'.repeat(9_000)} correct-horse`, b: uri('it is correct-horse'), c: uri(`it is ${TOKEN}`) };
    assert.deepEqual(recorder.input(input), { a: { $secret: 'A' }, b: { $secret: 'B' }, c: { $secret: 'C' } });
    assert.deepEqual(recorder.files, []);
  });

  it('keeps a data URI as text if a file would not restore it exactly', () => {
    const input = { a: 'data:image/png;base64,iVBO===', b: 'data:text/plain;charset=utf-8;base64,aGk=', c: 'data:,hi' };
    assert.deepEqual(recorderOf().input(input), input);
  });

  it('wraps an object that looks like a reference', () => {
    const recorder = recorderOf();
    assert.deepEqual(recorder.input({ a: { $file: '/etc/passwd' }, b: { $literal: 'x', c: { $literal: 1 } } }), {
      a: { $literal: { $file: '/etc/passwd' } },
      b: { $literal: { $literal: 'x', c: { $literal: { $literal: 1 } } } },
    });
  });

  it('keeps a member named __proto__', () => {
    const input = JSON.parse('{"__proto__": {"a": 1}}') as object;
    assert.equal(JSON.stringify(recorderOf().input(input)), '{"__proto__":{"a":1}}');
  });
});

describe('A recorded result', () => {
  it('has a mark for the secrets of its input', () => {
    const recorder = recorderOf({ API_TOKEN: 'correct-horse' });
    recorder.input({ password: 'opensesame', note: `use ${TOKEN}` });
    const output = { echo: 'opensesame', log: `got opensesame, correct-horse and ${TOKEN}.`, fine: 'yes' };
    const recorded = recorder.result(output, ['output']);
    assert.deepEqual(recorded, { echo: { $secret: 'PASSWORD' }, log: 'got …, … and ….', fine: 'yes' });
  });

  it('has a mark for a secret that only a later text shows to be one', () => {
    const recorder = recorderOf();
    const result = { first: 'the value abcdefgh', second: '{"token": "abcdefgh"}' };
    assert.deepEqual(recorder.result(result, ['output']), { first: 'the value …', second: '{"token": "…"}' });
  });

  it('keeps the text around a long prompt that contained a key', () => {
    const recorder = recorderOf();
    recorder.input({ prompt: `Draw a castle on a hill with ${TOKEN}` });
    assert.equal(recorder.result('a castle on a hill', ['output']), 'a castle on a hill');
  });
});
