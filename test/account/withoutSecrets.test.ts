import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ApiError } from '../../src/client/apiError.ts';
import { hideSecrets, withoutSecrets } from '../../src/account/withoutSecrets.ts';

const KEY = 'tok_a8Kd3ZqP0vR7mX2tLw9Y';

describe('an error without secrets', () => {
  it('keeps everything but the values', () => {
    const error = new ApiError('validation', `bad value ${KEY}`, {
      operation: 'createEndpoint',
      status: 400,
      source: 'problem',
      title: `Bad ${KEY}`,
      errors: [`$.env.TOKEN: '${KEY}' is bad`, `no path: ${KEY}`],
      retryAfterMs: 5,
      cause: new Error(KEY),
    });
    const hidden = withoutSecrets(error, [KEY]);
    assert.deepEqual(hidden.fields, [
      { path: ['env', 'TOKEN'], code: 'serviceMessage', data: { message: "'…' is bad" }, message: "'…' is bad" },
    ]);
    assert.deepEqual([hidden.message, hidden.title, hidden.errors[1]], ['bad value …', 'Bad …', 'no path: …']);
    assert.deepEqual(
      [hidden.kind, hidden.status, hidden.source, hidden.retryAfterMs],
      ['validation', 400, 'problem', 5],
    );
    assert.equal(hidden.cause, undefined);
  });

  it('keeps the path of a field whose name equals a short value', () => {
    const error = new ApiError('validation', 'bad', {
      operation: 'createEndpoint',
      errors: ['$.env.PORT: env is bad'],
    });
    assert.deepEqual(withoutSecrets(error, ['env']).errors, ['$.env.PORT: … is bad']);
  });
});

describe('text without secrets', () => {
  const hide = (text: string, ...secrets: string[]) => hideSecrets(text, secrets);

  it('does not contain fragments of a long value', () => {
    assert.equal(
      hide(`starts with ${KEY.slice(0, 12)}… and ends with ${KEY.slice(-8)}`, KEY),
      'starts with …… and ends with …',
    );
  });

  it('does not contain the value in another form', () => {
    const value = 'pass"word/with\\marks+ä';
    const forms = [JSON.stringify(value), encodeURIComponent(value), Buffer.from(value).toString('base64')];
    for (const form of forms) assert.doesNotMatch(hide(`got ${form}`, value), /pass|word|with|marks|cGFz/, form);
  });

  const capitals = (text: string): string => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  const small = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  /** Encodings of text that encode each character alone. */
  const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
    'no encoding': (text) => text,
    capitals: capitals,
    'small letters': small,
    hexadecimal: (text) => Buffer.from(text).toString('hex'),
    'hexadecimal capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
    'a URL': encodeURIComponent,
    'a URL with small letters': (text) => encodeURIComponent(text).replaceAll(/%../g, small),
    'the path of a URL': (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
    'a form': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
    JSON: json,
    'JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
    'JSON in ASCII': (text) =>
      json(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  };
  const SECRET = fc.string({
    unit: fc.constantFrom(...Array.from('abcdefgXYZ0123456789+/=&%"\\ä€~!*')),
    minLength: 6,
    maxLength: 60,
  });
  /** Text around a value, of other characters. */
  const AROUND = fc.string({ unit: fc.constantFrom(...Array.from(':;<>|')), maxLength: 7 });

  /** Asserts that one mark replaces at least all text between a start and an end, which can end and begin like the value. */
  function assertHidden(shown: string, start: string, end: string): void {
    const [head, tail, ...more] = shown.split('…');
    assert.ok(head !== undefined && tail !== undefined && more.length === 0, shown);
    assert.ok(start.startsWith(head) && end.endsWith(tail), `${shown} instead of ${start}…${end}`);
  }

  for (const [name, encode] of Object.entries(ENCODINGS))
    it(`does not contain a value inside a longer text in ${name}`, () => {
      fc.assert(
        fc.property(AROUND, SECRET, AROUND, (before, value, after) => {
          assertHidden(hide(encode(before + value + after), value), encode(before), encode(after));
        }),
      );
    });

  for (const alphabet of ['base64', 'base64url'] as const)
    it(`does not contain a character that a value determines in ${alphabet}, at any place`, () => {
      fc.assert(
        fc.property(AROUND, SECRET, AROUND, fc.boolean(), (before, value, after, padded) => {
          const encode = (start: string, end: string): string => {
            const text = Buffer.from(start + value + end).toString(alphabet);
            return padded ? text : text.replace(/=+$/, '');
          };
          const encoded = encode(before, after);
          // The characters that stay the same with other text around the value.
          const others = ['\0', '*', 'U', '\x7f'].map((sign) =>
            encode(sign.repeat(before.length), sign.repeat(after.length)),
          );
          const isSame = (at: number): boolean => others.every((other) => other[at] === encoded[at]);
          const same = Array.from(encoded, (_, at) => isSame(at) && encoded[at] !== '=');
          const [start, end] = [same.indexOf(true), same.lastIndexOf(true) + 1];
          assertHidden(hide(encoded, value), encoded.slice(0, start), encoded.slice(end));
        }),
      );
    });

  it('does not contain the password of an Authorization header', () => {
    for (const user of ['', 'a', 'ab', 'abc']) {
      const header = `Basic ${Buffer.from(`${user}:${KEY}`).toString('base64')}`;
      assert.match(hide(`got ${header}`, KEY), /^got Basic \w{0,6}…=*$/);
    }
  });

  it('does not contain the lines of a value', () => {
    const value = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0B\n-----END PRIVATE KEY-----\n';
    assert.equal(hide(`not a key: ${value.replaceAll('\n', ' ')}`, value).includes('hkiG'), false);
  });

  it('does not contain a short value as a word', () => {
    assert.equal(hide("must not be 'abc' or abcd", 'abc'), "must not be '…' or abcd");
    assert.equal(hide('is a+b? or a', 'a+b?'), 'is … or a');
  });

  it('is unchanged without secrets, and for empty ones', () => {
    assert.equal(hide('as it is', '', ' '), 'as it is');
    assert.equal(hide('as it is'), 'as it is');
  });

  it('is whole, however long it is', () => {
    const long = ':'.repeat(1_000_000);
    assert.ok(hide(`${long}${KEY}${long}`, KEY) === `${long}…${long}`);
  });
});
