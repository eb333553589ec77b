import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createClient } from '../../src/client/client.ts';
import { loopbackFetch } from '../../src/client/loopbackFetch.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

const status = { endpointId: 'e', jobId: 'j' };

const noFetch = (): never => assert.fail('the call used fetch');

/** Starts a server, and a client that can only use `loopbackFetch`. */
async function directServer(script: Script) {
  const server = await startScriptedServer(script);
  const client = createClient({ connection: server.connection, fetch: noFetch, loopbackFetch, random: () => 0 });
  return { ...server, client };
}

describe('a call to an address of this machine', () => {
  it('sends the method, the headers, and the body', async () => {
    await using server = await directServer((_, response) => json(response, 200, { id: 'ü', status: 'IN_QUEUE' }));
    assert.equal((await server.client.runJob({ endpointId: 'e', body: { input: { text: 'ü' } } })).id, 'ü');
    const [request] = server.received;
    assert.equal(request?.method, 'POST');
    assert.equal(request.headers.authorization, 'Bearer the-key');
    assert.equal(request.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(request.body), { input: { text: 'ü' } });
  });

  it('reads rate limits, statuses without a body, and errors', async () => {
    await using server = await directServer(({ method }, response) => {
      response.setHeader('RateLimit-Policy', '"minute";q=60;w=60');
      if (method === 'DELETE') response.writeHead(204).end();
      else json(response, 404, { detail: 'no such endpoint' });
    });
    await server.client.deleteEndpoint({ id: 'e' });
    assert.equal(server.client.rateLimits.windows.get('minute')?.quota, 60);
    await assert.rejects(server.client.getEndpoint({ id: 'e' }), { kind: 'notFound', status: 404 });
  });

  it('keeps what arrived of a response that ends early', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      const head = 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n';
      socket.once('data', () => socket.end(`${head}8\r\nno entry`));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connection = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin, apiKey: 'the-key' };
    const client = createClient({ connection, fetch: noFetch, loopbackFetch });
    await assert.rejects(client.listEndpoints({}), { kind: 'forbidden', message: 'no entry' });
    server.close();
    await once(server, 'close');
    await assert.rejects(client.listEndpoints({}, { retries: 0 }), { kind: 'network' });
  });

  it('does not read a response that is too large to the end', async () => {
    const megabyte = Buffer.alloc(1_048_576, 'x');
    await using server = await directServer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on('drain', more);
      more();
    });
    await assert.rejects(server.client.getJobStatus(status), { code: 'tooLarge' });
  });

  it('closes its socket when it is canceled', async () => {
    const closed = Promise.withResolvers<void>();
    const cancel = new AbortController();
    await using server = await directServer((_, response) => {
      response.on('close', closed.resolve);
      cancel.abort();
    });
    await assert.rejects(server.client.getJobStatus(status, { signal: cancel.signal }), { kind: 'canceled' });
    await closed.promise;
  });
});

it('a call to any other address uses the given fetch, which knows the proxy', async () => {
  const origin = 'http://platform.example';
  const connection = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin, apiKey: 'the-key' };
  const fetch = () => Promise.resolve(Response.json({ id: 'j', status: 'IN_QUEUE' }));
  const client = createClient({ connection, fetch, loopbackFetch: noFetch });
  assert.equal((await client.getJobStatus(status)).id, 'j');
});
