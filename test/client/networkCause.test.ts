import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkCauseOf } from '../../src/client/networkCause.ts';
import { ApiError } from '../../src/client/apiError.ts';

const withCode = (code: string) => Object.assign(new Error('something'), { code });
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });

async function failureOf(address: string): Promise<unknown> {
  return fetch(address).then(
    () => assert.fail('it answered'),
    (error: unknown) => error,
  );
}

describe('the cause of a network failure', () => {
  it('is recognized in real failures', async () => {
    assert.equal(networkCauseOf(await failureOf('https://nowhere.invalid')), 'dns');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    assert.equal(networkCauseOf(await failureOf(`https://127.0.0.1:${port}`)), 'tls');
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    assert.equal(networkCauseOf(await failureOf(`http://127.0.0.1:${port}`)), 'refused');
  });

  const codes = {
    dns: ['ENOTFOUND', 'EAI_AGAIN'],
    refused: ['ECONNREFUSED'],
    tls: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO'],
    timeout: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
    unreachable: ['EHOSTUNREACH', 'ECONNRESET', 'UND_ERR_SOCKET'],
  };
  for (const [cause, list] of Object.entries(codes)) {
    it(`is “${cause}” for ${list.join(', ')}`, () => {
      for (const code of list) assert.equal(networkCauseOf(fetchFailed(withCode(code))), cause);
    });
  }

  it('is found in nested causes, and in failures of several addresses', () => {
    const tried = new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]);
    const error = new ApiError('network', 'not reached', { operation: 'x', cause: fetchFailed(tried) });
    assert.equal(networkCauseOf(error), 'refused');
  });

  it('is recognized in error names of Chromium', () => {
    assert.equal(networkCauseOf(new Error('net::ERR_NAME_NOT_RESOLVED')), 'dns');
    assert.equal(networkCauseOf(new Error('net::ERR_PROXY_CONNECTION_FAILED')), 'proxy');
    assert.equal(networkCauseOf(new Error('net::ERR_CERT_AUTHORITY_INVALID')), 'tls');
    assert.equal(networkCauseOf(new Error('net::ERR_CONNECTION_TIMED_OUT')), 'timeout');
  });

  it('is the proxy if it rejects the tunnel', () => {
    const refusal = new Error('Proxy response (407) !== 200 when HTTP Tunneling');
    assert.equal(networkCauseOf(fetchFailed(refusal)), 'proxy');
  });

  it('is found even if causes form a cycle', () => {
    const circle = new Error('a');
    circle.cause = circle;
    assert.equal(networkCauseOf(circle), 'unreachable');
    assert.equal(networkCauseOf('a text'), 'unreachable');
  });
});
