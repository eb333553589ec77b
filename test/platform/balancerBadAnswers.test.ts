// Clauses of the interface: Errors, load-balanced.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import process from 'node:process';
import { routesForTest, type Routes } from './balancerSupport.ts';
import { cleanUp } from './support.ts';

/** Encodes a response in which each character represents one byte. */
const bytes = (answer: string): string => Buffer.from(answer, 'latin1').toString('base64url');

describe('Raw response of a load-balanced worker', () => {
  let routes: Routes;

  before(async () => {
    // One request at a time: a leaked slot would block the next request.
    routes = await routesForTest({
      cmd: [process.execPath, 'rawServer.mjs'],
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      workers: { min: 1, max: 1 },
    });
    await routes.api.worker(routes.endpoint, 'IDLE');
  });
  after(cleanUp);

  const answered = (answer: string, action = 'bytes') => routes.raw(`/${action}/${bytes(answer)}`);

  const refused = async (answer: IncomingMessage): Promise<string> => {
    const body = await text(answer);
    assert.equal(answer.statusCode, 500, body);
    const { error, detail } = JSON.parse(body) as Record<string, string>;
    assert.ok(error !== undefined && detail !== undefined);
    await routes.api.worker(routes.endpoint, 'IDLE');
    return detail;
  };

  const REFUSED: Readonly<Record<string, string>> = {
    'a control character in the reason': 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nhi',
    'an invalid UTF-8 byte in the reason': 'HTTP/1.1 200 F\xfcr\r\nContent-Length: 2\r\n\r\nhi',
    'NUL in the reason': 'HTTP/1.1 200 O\x00K\r\nContent-Length: 2\r\n\r\nhi',
    'a bare CR in the reason': 'HTTP/1.1 200 O\rK\r\nContent-Length: 2\r\n\r\nhi',
    'a control character in a value': 'HTTP/1.1 200 OK\r\nX-Mine: a\x01b\r\nContent-Length: 2\r\n\r\nhi',
    'NUL in a value': 'HTTP/1.1 200 OK\r\nX-Mine: a\x00b\r\nContent-Length: 2\r\n\r\nhi',
    'DEL in a value': 'HTTP/1.1 200 OK\r\nX-Mine: a\x7fb\r\nContent-Length: 2\r\n\r\nhi',
    'a bare CR in a value': 'HTTP/1.1 200 OK\r\nX-Mine: a\rb\r\nContent-Length: 2\r\n\r\nhi',
    'a byte above ASCII in a name': 'HTTP/1.1 200 OK\r\nX-M\xfc: a\r\nContent-Length: 2\r\n\r\nhi',
    'a space in a name': 'HTTP/1.1 200 OK\r\nX Mine: a\r\nContent-Length: 2\r\n\r\nhi',
    'an empty name': 'HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 2\r\n\r\nhi',
    'status 99': 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nhi',
    'status 0': 'HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\nhi',
    'status 1000': 'HTTP/1.1 1000 High\r\nContent-Length: 2\r\n\r\nhi',
    'a status that is not a number': 'HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nhi',
    'an unrequested upgrade': 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'bytes that are not HTTP': 'hello\r\n\r\n',
  };

  for (const [what, answer] of Object.entries(REFUSED)) {
    it(`with ${what} becomes a 500, and frees the slot`, async () => {
      assert.notEqual(await refused(await answered(answer)), '');
    });
  }

  it('becomes a 500 if the worker closes the connection without responding', async () => {
    await refused(await answered('', 'last'));
  });

  it('is forwarded byte for byte with non-ASCII header values', async () => {
    const answer = await answered('HTTP/1.1 200 OK\r\nX-Mine: caf\xe9 \xc3\xbc\r\nContent-Length: 2\r\n\r\nhi');
    assert.deepEqual(
      [answer.statusCode, answer.headers['x-mine'], await text(answer)],
      [200, 'caf\xe9 \xc3\xbc', 'hi'],
    );
  });

  it('is forwarded byte for byte with a UTF-8 reason', async () => {
    const answer = await answered('HTTP/1.1 299 F\xc3\xbcr\r\nContent-Length: 2\r\n\r\nhi');
    assert.deepEqual([answer.statusCode, answer.statusMessage, await text(answer)], [299, 'F\xc3\xbcr', 'hi']);
  });

  it('is forwarded with any status from 200 to 999, and without a reason', async () => {
    for (const status of [200, 299, 404, 503, 600, 999]) {
      const answer = await answered(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nhi`);
      assert.deepEqual([answer.statusCode, await text(answer)], [status, 'hi']);
    }
  });

  it('is forwarded after informational responses with any content', async () => {
    const early = 'HTTP/1.1 103 Early\r\nLink: <a>; rel=preload; title="\xe9"\r\n\r\nHTTP/1.1 199 F\xfcr\r\n\r\n';
    const answer = await answered(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`);
    assert.deepEqual([answer.statusCode, await text(answer)], [200, 'hi']);
  });

  it('is forwarded with its trailers byte for byte, and aborted at an invalid trailer', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n';
    const answer = await answered(`${head}X-Good: caf\xe9\r\nX-Sum: 1\r\n\r\n`);
    assert.equal(await text(answer), 'hi');
    assert.deepEqual(answer.trailers, { 'x-good': 'caf\xe9', 'x-sum': '1' });
    const ended = await answered(`${head}X-Bad: a\x01b\r\nX-Sum: 1\r\n\r\n`);
    await assert.rejects(text(ended));
    await routes.api.worker(routes.endpoint, 'IDLE');
  });

  describe('to an upgrade', () => {
    /** Returns all bytes that a caller receives after it requests a WebSocket. */
    const upgraded = async (answer: string): Promise<string> => {
      const { port, host, pathname } = new URL(`${routes.base}/last/${bytes(answer)}`);
      const socket = connect(Number(port), '127.0.0.1');
      const { Authorization } = routes.authorization;
      socket.write(
        `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      await once(socket, 'close');
      await routes.api.worker(routes.endpoint, 'IDLE');
      return Buffer.concat(parts).toString('latin1');
    };

    it('is forwarded byte for byte with non-ASCII header values and reason', async () => {
      const head = 'HTTP/1.1 101 F\xfcr\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Mine: caf\xe9\r\n\r\n';
      const answer = await upgraded(`${head}\xff\x00`);
      assert.match(answer, /^HTTP\/1\.1 101 F\xfcr\r\n/);
      assert.match(answer, /\r\nX-Mine: caf\xe9\r\n/);
      assert.ok(answer.endsWith('\r\n\r\n\xff\x00'));
      const other = await upgraded('HTTP/1.1 403 F\xfcr\r\nX-Mine: caf\xe9\r\nContent-Length: 2\r\n\r\nhi');
      assert.match(other, /^HTTP\/1\.1 403 F\xfcr\r\n[^]*\r\nX-Mine: caf\xe9\r\n[^]*hi$/);
    });

    const upgrades = Object.entries(REFUSED).filter(([what]) => !/UTF-8|unrequested/.test(what));
    for (const [what, answer] of upgrades) {
      it(`with ${what} becomes a 500`, async () => {
        const head = /^HTTP\/1\.1 500 [^]*\r\nContent-Type: application\/json\r\n[^]*"detail":/;
        assert.match(await upgraded(answer), head);
      });
    }
  });
});
