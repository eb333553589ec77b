import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readBody } from '../../src/client/answer.ts';
import { ApiError } from '../../src/client/apiError.ts';
import type { FieldError, Path } from '../../src/contract/violation.ts';
import { createClient } from '../../src/client/client.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const neverAborted = new AbortController().signal;
const status = { endpointId: 'e', jobId: 'j' };

/** Starts a server that writes these bytes for each request and closes the connection. */
async function serverWithResponse(bytes: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin, apiKey: 'the-key' };
  const client = createClient({ connection, fetch, random: () => 0 });
  return { client, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

describe('a response', () => {
  it('that ends early is a network error, for each way to state its length', async () => {
    const half = '{"id":"j","sta';
    for (const head of ['Content-Length: 40\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\ne\r\n']) {
      await using server = await serverWithResponse(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}${half}`,
      );
      await assert.rejects(server.client.runJob({ endpointId: 'e', body: { input: { n: 1 } } }), {
        kind: 'network',
        message: 'the connection closed before the end of the response',
      });
    }
  });

  it('with an error status keeps its meaning if it ends early', async () => {
    await using server = await serverWithResponse(
      'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nno entry',
    );
    await assert.rejects(server.client.listEndpoints({}), { kind: 'forbidden', message: 'no entry' });
  });

  it('that is not UTF-8 is rejected', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(200).end(Buffer.from('{"id":"caf\xe9"}', 'latin1'));
    });
    await assert.rejects(server.client.getJobStatus(status), {
      kind: 'server',
      message: 'the response is not UTF-8 text',
    });
  });

  it('that is a web page leads to a message about the address', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    });
    await assert.rejects(server.client.listEndpoints({}), {
      message: 'the response is a web page; check the address of the connection',
    });
  });

  it('that is too large is not read to the end', async () => {
    await using server = await startScriptedServer(({ path }, response) => {
      if (path === '/declared') response.writeHead(200, { 'Content-Length': 10_000 }).write('x');
      else if (path === '/packed')
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000)));
      else response.writeHead(200).write('x'.repeat(10_000));
    });
    for (const path of ['/declared', '/packed', '/endless']) {
      const { fault } = await readBody(await fetch(server.origin + path), neverAborted, 1_000);
      assert.equal(fault, 'tooLarge', path);
    }
    assert.deepEqual(await readBody(new Response('x'.repeat(1_000)), neverAborted, 1_000), { text: 'x'.repeat(1_000) });
  });

  it('that redirects is not followed, so the key is not sent elsewhere', async () => {
    await using elsewhere = await startScriptedServer((_, response) => json(response, 200, { endpoints: [] }));
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(307, { Location: `${elsewhere.origin}/v2/serverless?secret=1` }).end();
    });
    await assert.rejects(server.client.listEndpoints({}), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.ok(error.message.startsWith(`the service redirects to ${elsewhere.origin};`), error.message);
      return true;
    });
    assert.equal(elsewhere.received.length, 0);
    assert.equal(server.received.length, 1);
  });

  it('with field errors has the path of each field', async () => {
    const errors = ["$: additional properties 'bogus' not allowed", '$.gpu.pools[0]: must not be empty', 'no form'];
    await using server = await startScriptedServer((_, response) =>
      json(response, 422, { title: 'Unprocessable Entity', status: 422, detail: 'Request validation failed.', errors }),
    );
    await assert.rejects(server.client.listEndpoints({}), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.title, 'Unprocessable Entity');
      assert.deepEqual(error.errors, errors);
      assert.deepEqual(error.fields, [
        fieldErrorWith([], "additional properties 'bogus' not allowed"),
        fieldErrorWith(['gpu', 'pools', 0], 'must not be empty'),
      ]);
      return true;
    });
  });
});

/** Returns a field error with a message of the service. */
function fieldErrorWith(path: Path, message: string): FieldError {
  return { path, code: 'serviceMessage', data: { message }, message };
}
