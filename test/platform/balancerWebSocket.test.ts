// Clauses of the interface: Endpoints 5.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { routesForTest, type Routes } from './balancerSupport.ts';
import { cleanUp, eventually } from './support.ts';

describe('WebSockets of a load-balanced endpoint', () => {
  let routes: Routes;
  beforeEach(async () => {
    routes = await routesForTest({ workers: { min: 1, max: 1 } });
    await routes.api.worker(routes.endpoint, 'IDLE');
  });
  afterEach(cleanUp);

  const connect = (path = '/socket', headers: Record<string, string> = routes.authorization): WebSocket =>
    new WebSocket(routes.base.replace('http', 'ws') + path, { headers });

  /** Returns the response that refuses an upgrade. */
  const refused = async (socket: WebSocket) => {
    const [, answer] = (await once(socket, 'unexpected-response')) as [
      unknown,
      AsyncIterable<Buffer> & { statusCode: number; headers: Record<string, string> },
    ];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() };
  };

  it('carry messages of all types and sizes in both directions, and count as requests', async () => {
    const socket = connect();
    const opened = once(socket, 'open');
    const [upgrade] = (await once(socket, 'upgrade')) as [{ headers: Record<string, string> }];
    await opened;
    const worker = await routes.api.worker(routes.endpoint, 'RUNNING');
    assert.equal(upgrade.headers['x-runpod-worker-id'], worker.id);
    for (const sent of ['hello', 'ü'.repeat(100_000)]) {
      socket.send(sent);
      const [data] = (await once(socket, 'message')) as [Buffer];
      assert.equal(data.toString(), sent);
    }
    const bytes = Buffer.alloc(5_000_000, 7);
    socket.send(bytes);
    const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
    assert.ok(isBinary && data.equals(bytes));
    socket.close(4000, 'enough');
    await once(socket, 'close');
    await routes.logsUntil('socket closed with 4000');
    await routes.api.worker(routes.endpoint, 'IDLE');
  });

  it('are refused if the worker neither accepts nor refuses within the time limit', async () => {
    await routes.api.call(operations.updateEndpoint, {
      parameters: { id: routes.endpoint.id },
      body: { timeout: 300 },
    });
    const { status, text } = await refused(connect('/never'));
    assert.equal(status, 500);
    const detail = 'the worker did not finish the request within 0.3 s';
    assert.deepEqual(JSON.parse(text), { error: 'time limit', detail });
    await routes.logsUntil(`request failed: ${detail}`);
    await routes.api.worker(routes.endpoint, 'IDLE');
  });

  it('close when their caller hangs up', async () => {
    const socket = connect();
    await once(socket, 'open');
    socket.terminate();
    await routes.logsUntil('socket closed with 1006');
    await routes.api.worker(routes.endpoint, 'IDLE');
  });

  it('close when the caller hangs up while it waits for a worker or for its response', async () => {
    await routes.fetch('/health/204');
    await routes.api.worker(routes.endpoint, 'INITIALIZING');
    const port = /PORT=(\d+)/.exec(await routes.logsUntil('PORT='))?.[1] ?? '';
    const waiting = connect().on('error', () => undefined);
    await routes.api.workers(routes.endpoint);
    waiting.terminate();
    await fetch(`http://127.0.0.1:${port}/health/200`);
    await routes.api.worker(routes.endpoint, 'IDLE');
    const unanswered = connect('/never').on('error', () => undefined);
    await routes.api.worker(routes.endpoint, 'RUNNING');
    unanswered.terminate();
    const log = await routes.logsUntil('caller hung up');
    assert.ok(!log.includes('socket closed'), 'the first socket reached the worker');
    await routes.api.worker(routes.endpoint, 'IDLE');
  });

  it('do not block a change of the endpoint, and close with their worker', async () => {
    const socket = connect();
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const parameters = { id: routes.endpoint.id };
    await routes.api.call(operations.updateEndpoint, { parameters, body: { env: { COLOR: 'blue' } } });
    await closed;
    assert.equal((await routes.echo()).env['COLOR'], 'blue');
  });

  it('close when their worker dies', async () => {
    const socket = connect();
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send('die');
    assert.equal((await closed)[0], 1006);
  });

  it('close when the platform stops, within the shutdown time of workers', async () => {
    const socket = connect();
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await cleanUp();
    await closed;
  });

  it('close when the platform stops, even if their caller has stopped reading', async () => {
    const socket = connect();
    await once(socket, 'open');
    socket.pause();
    socket.send('flood');
    await routes.logsUntil('flooded');
    await cleanUp();
    socket.terminate();
  });

  it('wait for a worker like any request', async () => {
    await routes.fetch('/health/204');
    await routes.api.worker(routes.endpoint, 'INITIALIZING');
    const port = /PORT=(\d+)/.exec(await routes.logsUntil('PORT='))?.[1] ?? '';
    const socket = connect();
    await fetch(`http://127.0.0.1:${port}/health/200`);
    await once(socket, 'open');
    socket.terminate();
  });

  for (const [place, connectBy] of [
    ['path', () => connect()],
    [
      'host name',
      () => {
        const { host, port } = new URL(routes.base);
        const headers = { ...routes.authorization, Host: `${routes.endpoint.id}.localhost:${port}` };
        return new WebSocket(`ws://${host}/socket`, { headers });
      },
    ],
  ] as const) {
    it(`wait while the platform is being replaced, if their ${place} names the endpoint`, async () => {
      const { api } = routes;
      const earlier = connect();
      await once(earlier, 'open');
      const body = await (await api.fetch(controlOperations.exportSnapshot)).arrayBuffer();
      const ended = once(earlier, 'close');
      const replaced = api.fetch(controlOperations.importSnapshot, { query: { start: 'true' } }, { body });
      await ended;
      const socket = connectBy();
      await once(socket, 'open');
      assert.equal((await replaced).status, 204);
      socket.terminate();
    });
  }

  it('forward a refusal of the worker', async () => {
    const { status, headers, text } = await refused(connect('/refuse'));
    assert.deepEqual([status, headers['x-why'], text], [418, 'teapot', 'no']);
    await eventually(
      'the request no longer counts',
      async () => (await routes.api.workers(routes.endpoint))[0]?.status === 'IDLE',
    );
  });

  it('require the key, an existing endpoint, and a valid origin', async () => {
    assert.equal((await refused(connect('/socket', {}))).status, 401);
    const elsewhere = `${routes.api.addresses.baseUrl.replace('http', 'ws')}/endpoints/nope/socket`;
    const missing = await refused(new WebSocket(elsewhere, { headers: routes.authorization }));
    assert.equal(missing.status, 404);
    assert.match(missing.text, /"error":"not found"/);
    const page = connect('/socket', { ...routes.authorization, Origin: 'http://evil.example.com' });
    assert.equal((await refused(page)).status, 403);
  });
});
