import assert from 'node:assert/strict';
import { scriptedTools } from '../../scriptedTools.ts';

/** Largest part of a response that is kept, in bytes. */
const MAX_KEPT = 1_048_576;
/** A long text, of which the middle is left out. */
const TEXT = /^x+ … \d+ characters left out … x+/;

describe('The body of a response for a model', () => {
  /** Sends a request whose response has these bytes. */
  async function received(...parts: readonly (string | Uint8Array)[]) {
    await using tools = await scriptedTools({ type: 'LOAD_BALANCER' }, (_, response) => {
      response.end(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
    });
    const { status, bytes, body, end, error } = await tools.call('send_request', {
      ...{ endpoint: 'e', method: 'GET', path: '/' },
    });
    assert.deepEqual([error, status, end], [undefined, 200, 'complete']);
    return { bytes, body };
  }

  it('is a JSON value, or else the text', async () => {
    assert.deepEqual(await received('{"a":[1]}'), { bytes: 9, body: { a: [1] } });
    assert.deepEqual(await received('zwölf'), { bytes: 6, body: 'zwölf' });
    assert.deepEqual(await received(''), { bytes: 0, body: '' });
  });

  it('is only its size if the bytes are not UTF-8 or have a zero', async () => {
    assert.deepEqual(await received(Uint8Array.of(0x89, 0x50, 0x4e, 0x47)), { bytes: 4, body: 'binary data, 4 B' });
    assert.deepEqual(await received('a\0b'), { bytes: 3, body: 'binary data, 3 B' });
    assert.deepEqual(await received('a', Uint8Array.of(0xc3)), { bytes: 2, body: 'binary data, 2 B' });
  });

  it('is a text if only its cut divides a character', async () => {
    const whole = await received('x'.repeat(MAX_KEPT - 2), 'ö');
    assert.equal(whole.bytes, MAX_KEPT);
    assert.match(String(whole.body), TEXT);
    const cut = await received('x'.repeat(MAX_KEPT - 1), 'ö');
    assert.equal(cut.bytes, MAX_KEPT + 1);
    assert.match(String(cut.body), TEXT);
  });

  it('counts the bytes after the first mebibyte, but does not read them', async () => {
    const rest = Uint8Array.of(0xff, 0xff);
    assert.equal((await received('x'.repeat(MAX_KEPT - 1), rest)).body, 'binary data, 1.1 MB');
    const { bytes, body } = await received('x'.repeat(MAX_KEPT), rest);
    assert.equal(bytes, MAX_KEPT + 2);
    assert.match(String(body), TEXT);
  });
});

describe('The headers of a response for a model', () => {
  it('are those that are not for the program of the caller', async () => {
    await using tools = await scriptedTools({ type: 'LOAD_BALANCER' }, (_, response) => {
      for (const name of ['Set-Cookie', 'Authorization', 'Proxy-Authenticate', 'WWW-Authenticate', 'X-Model'])
        response.setHeader(name, 'a');
      response.end();
    });
    const { headers } = await tools.call('send_request', { endpoint: 'e', method: 'GET', path: '/' });
    const own = Object.keys(headers as object).filter((name) => /auth|cookie|model/.test(name));
    assert.deepEqual(own, ['x-model']);
  });
});
