import assert from 'node:assert/strict';
import { createClient, type Client } from '../../src/client/client.ts';
import { systemClock, type Clock } from '../../src/client/clock.ts';
import { openSocket, MAX_SOCKET_MESSAGE_BYTES, type RouteSocket, type SocketEnd } from '../../src/client/openSocket.ts';
import { cleanUp, eventually } from '../platform/support.ts';
import { routesForTest, type Routes } from '../platform/balancerSupport.ts';

describe('a WebSocket of a load-balanced endpoint', () => {
  let routes: Routes;
  let client: Client;

  before(async () => {
    routes = await routesForTest();
    client = createClient({ connection: routes.api.addresses, fetch: globalThis.fetch });
    await routes.api.worker(routes.endpoint, 'IDLE');
  });
  after(cleanUp);

  const open = async (path: string, options: { signal?: AbortSignal; timeout?: number; clock?: Clock } = {}) => {
    const messages: (string | number)[] = [];
    const ended = Promise.withResolvers<SocketEnd>();
    const outcome = await openSocket(
      { ...client.context, clock: options.clock ?? systemClock },
      { endpointId: routes.endpoint.id, path, headers: { Authorization: 'Bearer of-mine' } },
      {
        onMessage: (data, isBinary) => messages.push(isBinary ? data.length : Buffer.from(data).toString()),
        onEnd: ended.resolve,
      },
      options,
    );
    return { outcome, messages, ended: ended.promise };
  };
  const socketOf = (outcome: object): RouteSocket => (outcome as { socket: RouteSocket }).socket;

  it('carries text and bytes, and reports the worker and the close code', async () => {
    const { outcome, messages, ended } = await open('/socket');
    const socket = socketOf(outcome);
    assert.match(socket.workerId ?? '', /./);
    await socket.send('hällo');
    await socket.send(new Uint8Array(70_000));
    await eventually('both messages return', () => messages.length === 2);
    assert.deepEqual(messages, ['hällo', 70_000]);
    socket.close(4001, 'enough');
    assert.deepEqual(await ended, { code: 4001, reason: 'enough', error: undefined });
    await assert.rejects(socket.send('late'), { kind: 'network' });
  });

  it('returns the response of a worker that refuses it', async () => {
    const { outcome } = await open('/refuse');
    const { refusal } = outcome as { refusal: { status: number; headers: Headers; body: Uint8Array } };
    assert.deepEqual(
      [refusal.status, refusal.headers.get('X-Why'), Buffer.from(refusal.body).toString()],
      [418, 'teapot', 'no'],
    );
  });

  it('ends immediately when the caller cancels, before and after it opens', async () => {
    const early = new AbortController();
    const waiting = open('/never', { signal: early.signal });
    await routes.api.worker(routes.endpoint, 'RUNNING');
    early.abort();
    await assert.rejects(waiting, { kind: 'canceled' });
    await assert.rejects(open('/socket', { signal: AbortSignal.abort() }), { kind: 'canceled' });

    const late = new AbortController();
    const { ended } = await open('/socket', { signal: late.signal });
    late.abort();
    assert.equal((await ended).error?.kind, 'canceled');
    await routes.logsUntil('socket closed with 1006');
  });

  it('is given up if it does not open within its time limit', async () => {
    await assert.rejects(open('/never', { timeout: 50 }), { kind: 'timeout' });
  });

  it('rejects messages over the size limit', async () => {
    const { outcome } = await open('/socket');
    const socket = socketOf(outcome);
    await assert.rejects(socket.send(new Uint8Array(MAX_SOCKET_MESSAGE_BYTES + 1)), { kind: 'validation' });
    socket.close();
  });

  it('is never opened outside of the endpoint, and not with invalid headers', async () => {
    await assert.rejects(open('/../../other/socket'), { kind: 'validation' });
    const request = { endpointId: routes.endpoint.id, path: '/socket', headers: { 'X-A': 'one\r\nX-B: two' } };
    await assert.rejects(openSocket(client.context, request, { onMessage: () => undefined, onEnd: () => undefined }), {
      kind: 'validation',
    });
  });

  it('reports an unreachable platform', async () => {
    const nowhere = { ...routes.api.addresses, endpointHost: 'http://127.0.0.1:9/{endpoint_id}' };
    const { context } = createClient({ connection: nowhere, fetch: globalThis.fetch });
    const listener = { onMessage: () => undefined, onEnd: () => undefined };
    await assert.rejects(openSocket(context, { endpointId: 'e', path: '/' }, listener), { kind: 'network' });
  });

  it('ends with 1006 when its worker dies', async () => {
    const { outcome, ended } = await open('/socket');
    await socketOf(outcome).send('die');
    assert.equal((await ended).code, 1006);
  });
});
