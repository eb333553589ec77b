import assert from 'node:assert/strict';
import { Agent, fetch as undiciFetch } from 'undici';
import { callRoute, openRoute } from '../../src/client/callRoute.ts';
import { createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/context.ts';
import { json, startScriptedServer } from './scriptedServer.ts';

const route = { endpointId: 'e', method: 'POST', path: '/v1/echo?x=1' } as const;
const text = (body: Uint8Array) => new TextDecoder().decode(body);

describe('a call to a route of a load-balanced endpoint', () => {
  it('sends the path unchanged with the key, and returns bytes', async () => {
    await using server = await startScriptedServer(({ body }, response) => {
      response.writeHead(201, { 'X-Runpod-Worker-Id': 'w1', 'X-Own': 'yes' }).end(Buffer.from([0xff, body.length]));
    });
    const headers = { 'Content-Type': 'text/plain', authorization: 'Bearer of-mine' };
    const answer = await callRoute(server.client.context, { ...route, headers, body: 'hello' });
    const [request] = server.received;
    assert.equal(request?.path, '/endpoints/e/v1/echo?x=1');
    assert.equal(request.headers.authorization, 'Bearer the-key');
    assert.equal(request.headers['content-type'], 'text/plain');
    assert.deepEqual([answer.status, answer.workerId, answer.headers.get('x-own')], [201, 'w1', 'yes']);
    assert.deepEqual([...answer.body], [0xff, 5]);
    assert.equal(answer.error, undefined);
  });

  it('sends requests to a queue endpoint below its request address', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, {}));
    const { context } = server.client;
    const request = { ...route, endpointType: 'QUEUE', path: '/openai/v1/models' } as const;
    await callRoute(context, request);
    context.addresses.learn({ id: 'e', requestUrls: { run: `${server.origin}/q/e/run` } as never });
    await callRoute(context, request);
    context.addresses.learn({ id: 'e', requestUrls: { run: 'https://evil.example.com/e/run' } as never });
    await callRoute(context, request);
    const paths = ['/queue/v2/e/openai/v1/models', '/q/e/openai/v1/models', '/queue/v2/e/openai/v1/models'];
    assert.deepEqual(
      server.received.map(({ path }) => path),
      paths,
    );
  });

  it('repeats headers, and sets those of the connection itself', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, {}));
    const headers = [
      ['X-A', 'one'],
      ['X-A', 'two'],
      ['Host', 'f.localhost'],
      ['Content-Length', '99'],
    ] as const;
    await callRoute(server.client.context, { ...route, headers });
    const [request] = server.received;
    assert.equal(request?.headers['x-a'], 'one, two');
    assert.match(request.headers.host ?? '', /^127\.0\.0\.1/);
  });

  it('rejects headers with line breaks or invalid names', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, {}));
    for (const headers of [{ 'X-A': 'one\r\nX-B: two' }, { 'X A': 'one' }, { '': 'one' }] as Record<string, string>[])
      await assert.rejects(callRoute(server.client.context, { ...route, headers }), { kind: 'validation' });
    assert.equal(server.received.length, 0);
  });

  it('fails with a timeout if fetch stops waiting for a response, because a worker may have the request', async () => {
    await using server = await startScriptedServer(() => undefined);
    const dispatcher = new Agent({ headersTimeout: 1 });
    const impatient = ((url: URL, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as Fetch;
    const { context } = createClient({ connection: server.connection, fetch: impatient });
    await assert.rejects(callRoute(context, route), {
      kind: 'timeout',
      message: /did not respond within the time limit/,
    });
    assert.equal(server.received.length, 1);
    await dispatcher.close();
  });

  it('returns an error status as a response with an error', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 422, { error: 'bad input', detail: 'x is missing' }),
    );
    const { status, body, error } = await callRoute(server.client.context, route);
    assert.equal(status, 422);
    assert.match(text(body), /x is missing/);
    assert.deepEqual([error?.kind, error?.message], ['validation', 'bad input: x is missing']);
  });

  it('is never repeated', async () => {
    for (const status of [429, 500, 503]) {
      await using server = await startScriptedServer((_, response) => json(response, status, { error: 'no' }));
      await callRoute(server.client.context, { ...route, method: 'GET' });
      assert.equal(server.received.length, 1);
    }
  });

  it('explains a missing worker, for any status', async () => {
    for (const status of [400, 500, 503]) {
      await using server = await startScriptedServer((_, response) =>
        json(response, status, { error: 'no workers available' }),
      );
      const { error } = await callRoute(server.client.context, route);
      assert.equal(error?.kind, 'server');
      assert.match(error.message, /^no workers available: .*worker logs/);
    }
  });

  it("recognizes a timeout by the balancer's error name, or by the status of older balancers", async () => {
    const kind = async (status: number, error: string, headers: Record<string, string> = {}) => {
      await using server = await startScriptedServer((_, response) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        json(response, status, { error, detail: 'the worker has not finished' });
      });
      return (await callRoute(server.client.context, route)).error?.kind;
    };
    assert.deepEqual(
      [await kind(500, 'time limit'), await kind(504, 'anything'), await kind(500, 'anything')],
      ['timeout', 'timeout', 'server'],
    );
    assert.equal(
      await kind(500, 'time limit', { 'X-Runpod-Worker-Id': 'w1' }),
      'server',
      'the error comes from a worker',
    );
  });

  it('reports the Retry-After of the balancer', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.setHeader('Retry-After', '5');
      json(response, 500, { error: 'no workers available', detail: 'no worker became ready within 120 s' });
    });
    assert.equal((await callRoute(server.client.context, route)).error?.retryAfterMs, 5_000);
  });

  it('rejects a path outside the endpoint', async () => {
    await using server = await startScriptedServer((_, response) => json(response, 200, {}));
    for (const path of ['v1', '/../f/secrets', '/a/../../f', '/%2e%2e/f', '']) {
      await assert.rejects(callRoute(server.client.context, { ...route, path }), { kind: 'validation' }, path);
    }
    await callRoute(server.client.context, { ...route, path: '//evil.example.com/x' });
    assert.equal(server.received[0]?.path, '/endpoints/e//evil.example.com/x');
    assert.equal(server.received.length, 1);
  });

  it('returns a redirect without following it', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(302, { Location: 'https://evil.example.com' }).end();
    });
    const { status, headers } = await callRoute(server.client.context, route);
    assert.deepEqual([status, headers.get('location')], [302, 'https://evil.example.com']);
  });

  it('streams a response while it arrives, until the signal is aborted', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedServer((_, response) => {
      response.writeHead(200).write('one');
      response.on('close', () => closed.resolve());
    });
    const cancel = new AbortController();
    const { body } = await openRoute(server.client.context, route, { signal: cancel.signal });
    const reader = body?.getReader();
    const first = await reader?.read();
    assert.equal(text(first?.value ?? new Uint8Array()), 'one');
    cancel.abort();
    await assert.rejects(async () => reader?.read(), { kind: 'canceled' });
    await closed.promise;
  });
});
