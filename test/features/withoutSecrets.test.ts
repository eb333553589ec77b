import assert from 'node:assert/strict';
import { ApiError } from '../../src/client/apiError.ts';
import { hideSecrets, withoutSecrets } from '../../src/features/withoutSecrets.ts';

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

  it('is cut if it is very long', () => {
    assert.ok(hide('x'.repeat(1_000_000), KEY).length < 500_000);
  });
});
