import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { RouteRequest } from '../../../../src/client/routeRequest.ts';
import {
  MAX_RECEIVED_BYTES,
  sendRequest,
  type ResponseHead,
} from '../../../../src/features/requests/actions/sendRequest.ts';
import { systemClock, type Clock } from '../../../../src/client/clock.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { routesForTest, type Routes } from '../../../platform/balancerSupport.ts';
import { cleanUp, eventually } from '../../../platform/support.ts';

const fixtures = path.join(import.meta.dirname, '../fixtures');

/** Sends a request and records the state that the observer receives. */
function sending(
  client: Client,
  request: RouteRequest,
  { mayRetry = true, timeout }: { mayRetry?: boolean; timeout?: number | undefined } = {},
) {
  const cancel = new AbortController();
  const chunks: Uint8Array[] = [];
  const record: { head?: ResponseHead; waits: number; pauses: number[] } = { waits: 0, pauses: [] };
  const begun = Promise.withResolvers<ResponseHead>();
  const sent = sendRequest(request, {
    context: client.context,
    signal: cancel.signal,
    timeout,
    mayRetry: () => mayRetry,
    observer: {
      waiting: () => {
        record.waits++;
      },
      retrying: (ms) => void record.pauses.push(ms),
      head: (head) => {
        record.head = head;
        begun.resolve(head);
      },
      chunk: (bytes) => void chunks.push(bytes),
    },
  });
  sent.catch(begun.reject);
  return { sent, cancel, record, begun: begun.promise, text: () => Buffer.concat(chunks).toString() };
}

describe('Sending a request to a load-balanced endpoint', () => {
  let routes: Routes;
  let client: Client;

  before(async () => {
    routes = await routesForTest({
      image: `process:${fixtures}`,
      cmd: [process.execPath, 'server.mjs'],
      workers: { min: 0, max: 1 },
    });
    client = createClient({ connection: routes.api.addresses, fetch: globalThis.fetch });
  });
  after(cleanUp);

  const send = (method: RouteRequest['method'], target: string, rest: Partial<RouteRequest> = {}) =>
    sending(client, { endpointId: routes.endpoint.id, method, path: target, ...rest });

  it('waits for a worker to start, and returns the head, the body, and the times', async () => {
    const { sent, record, text } = send('GET', '/json');
    const { end, totalMs } = await sent;
    const { head } = record;
    assert.ok(head);
    assert.deepEqual([end.kind, head.status, head.statusText], ['complete', 200, 'OK']);
    assert.equal(head.workerId, (await routes.api.workers(routes.endpoint))[0]?.id);
    assert.ok(head.headers.some(({ name, value }) => name === 'content-type' && value === 'application/json'));
    assert.equal(text(), '{"greeting":"hello","big":1}');
    assert.ok(record.waits > 0 && head.firstByteMs <= totalMs);
  });

  it('sends each method with its headers and body', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { sent, text } = send(method, '/echo?x=1', { headers: [['X-A', 'b']], body: 'hi' });
      await sent;
      const echo = JSON.parse(text()) as { method: string; url: string; headers: Record<string, string>; body: string };
      assert.deepEqual([echo.method, echo.url, echo.headers['x-a'], echo.body], [method, '/echo?x=1', 'b', 'hi']);
    }
  });

  it('passes a stream on while it arrives, until it is canceled', async () => {
    const { sent, begun, cancel, text } = send('GET', '/events');
    await begun;
    await send('POST', '/next').sent;
    await eventually('the second event arrives', () => text().includes('data: 2'));
    assert.match(text(), /^data: one\n\ndata: 2/);
    cancel.abort();
    assert.equal((await sent).end.kind, 'canceled');
    await routes.logsUntil('stream closed');
  });

  it('keeps the received part of a response that is cut, with the reason', async () => {
    const { sent, record, text } = send('GET', '/cut');
    const { end } = await sent;
    assert.ok(end.kind === 'cut' && end.reason !== '');
    assert.deepEqual([record.head?.status, text()], [200, 'begun']);
  });

  it('returns an error status of a worker as a response', async () => {
    const { sent, record, text } = send('GET', '/error');
    assert.deepEqual([(await sent).end.kind, record.head?.status], ['complete', 500]);
    assert.match(text(), /the prompt is empty/);
  });

  it('can be canceled while it waits for a worker', async () => {
    const paused = await routes.api.createEndpoint({
      type: 'LOAD_BALANCER',
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
      workers: { min: 0, max: 0 },
    });
    const { sent, cancel } = sending(client, { endpointId: paused.id, method: 'GET', path: '/json' });
    await routes.api.workers(paused);
    cancel.abort();
    await assert.rejects(sent, { kind: 'canceled' });
  });
});

describe('Sending a request while no worker is ready', () => {
  const noWorkers: Script = (_, response) => {
    response.setHeader('Retry-After', '3');
    json(response, 500, { error: 'no workers available', detail: 'no worker became ready within 120 s' });
  };
  const request: RouteRequest = { endpointId: 'e', method: 'POST', path: '/x', body: '1' };
  /** A clock whose pauses between attempts end immediately. Other sleeps end with their signal. */
  const withoutPauses: Clock = {
    now: () => 0,
    sleep: (ms, signal) =>
      ms === 3_000 || ms === 5_000
        ? Promise.resolve()
        : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
  };
  const onServer = async (script: Script) => {
    const server = await startScriptedServer(script);
    const client = createClient({ connection: server.connection, fetch: globalThis.fetch, clock: withoutPauses });
    return { client, received: server.received, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
  };

  it('repeats it after the pause that the load balancer names', async () => {
    await using server = await onServer((received, response) =>
      server.received.length < 3 ? noWorkers(received, response) : json(response, 200, 'done'),
    );
    const { sent, record, text } = sending(server.client, request);
    assert.equal((await sent).end.kind, 'complete');
    assert.deepEqual([record.pauses, text(), record.head?.status], [[3_000, 3_000], '"done"', 200]);
    assert.deepEqual(
      server.received.map(({ body }) => body),
      ['1', '1', '1'],
    );
  });

  it('does not repeat it if no worker can become ready', async () => {
    await using server = await onServer(noWorkers);
    const { sent, record } = sending(server.client, request, { mayRetry: false });
    await sent;
    assert.deepEqual([record.head?.status, server.received.length], [500, 1]);
  });

  it('does not repeat it if a worker sent the same error', async () => {
    await using server = await onServer((received, response) => {
      response.setHeader('X-Runpod-Worker-Id', 'w');
      return noWorkers(received, response);
    });
    const { sent, record } = sending(server.client, request);
    await sent;
    assert.deepEqual([record.head?.workerId, server.received.length], ['w', 1]);
  });

  it('never repeats it after 429 or another error', async () => {
    await using server = await onServer((_, response) => json(response, 429, { error: 'rate limit exceeded' }));
    const { sent, record } = sending(server.client, request);
    await sent;
    assert.deepEqual([record.head?.status, server.received.length], [429, 1]);
  });
});

describe('Waiting for a response', () => {
  it('takes at most as long as a worker may need to start, and the endpoint allows', async () => {
    const limits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after: (ms, action) => {
        limits.push(ms);
        return systemClock.after?.(ms, action) ?? (() => undefined);
      },
    };
    await using server = await startScriptedServer((_, response) => json(response, 200, {}));
    const client = createClient({ connection: server.connection, fetch: globalThis.fetch, clock });
    for (const timeout of [3_600_000, 1_000, undefined])
      await sending(client, { endpointId: 'e', method: 'GET', path: '/' }, { timeout }).sent;
    assert.deepEqual(
      limits.filter((ms) => ms > 10_000),
      [120_000 + 3_600_000, 120_000 + 330_000, 120_000 + 330_000],
    );
  });
});

describe('Receiving a response without an end', () => {
  it('stops at the size limit', async () => {
    const part = Buffer.alloc(1_048_576);
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedServer((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(part));
        response.once('drain', more);
      };
      response.once('close', () => closed.resolve());
      more();
    });
    const { sent, text } = sending(server.client, { endpointId: 'e', method: 'GET', path: '/' });
    assert.equal((await sent).end.kind, 'tooLarge');
    assert.ok(text().length <= MAX_RECEIVED_BYTES);
    await closed.promise;
  });

  it('reports a platform that cannot be reached', async () => {
    const { client, [Symbol.asyncDispose]: close } = await startScriptedServer(() => undefined);
    await close();
    await assert.rejects(sending(client, { endpointId: 'e', method: 'GET', path: '/' }).sent, { kind: 'network' });
  });
});
