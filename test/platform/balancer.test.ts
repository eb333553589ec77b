// Clauses of the interface: Endpoints 5; Errors, load-balanced.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { operations } from '../../src/contract/operations.ts';
import { balanced, routesForTest, Routes } from './balancerSupport.ts';
import { cleanUp, endpointBody, eventually, platformForTest } from './support.ts';

const KEY = 'the-secret-key';
const WORKER_ID = 'X-Runpod-Worker-Id';

describe('Routes of a load-balanced endpoint', () => {
  describe('with one worker', () => {
    let routes: Routes;
    before(async () => {
      routes = await routesForTest({ workers: { min: 1, max: 1 } }, { apiKey: KEY });
      await routes.api.worker(routes.endpoint, 'IDLE');
    });
    after(cleanUp);

    it('forward the method, path, query, headers, and body unchanged, and the response too', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const body = method === 'GET' || method === 'OPTIONS' ? null : '{"a":1}';
        const headers = { 'X-Mine': 'yes', 'Content-Type': 'application/json' };
        const echo = await routes.echo('/echo//%2F/ü?a=1&a=2', { method, body, headers });
        assert.equal(echo.method, method);
        assert.equal(echo.url, '/echo//%2F/%C3%BC?a=1&a=2');
        assert.equal(echo.body, body ?? '');
        assert.equal(echo.headers['x-mine'], 'yes');
        assert.equal(echo.headers['content-type'], 'application/json');
      }
      const answer = await routes.raw('/status/299');
      assert.deepEqual([answer.statusCode, answer.statusMessage, await text(answer)], [299, 'As Asked', 'so be it']);
    });

    it('answer HEAD without a body', async () => {
      const answer = await routes.fetch('/echo', { method: 'HEAD' });
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), '');
    });

    it("return the worker's ID, and remove hop-by-hop headers", async () => {
      const [worker] = await routes.api.workers(routes.endpoint);
      const answer = await routes.raw('/echo', {
        headers: { Connection: 'close, X-Hop', 'X-Hop': '1', TE: 'trailers' },
      });
      const { headers } = JSON.parse(await text(answer)) as { headers: Record<string, string> };
      assert.equal(answer.headers[WORKER_ID.toLowerCase()], worker?.id);
      assert.deepEqual(answer.headers['x-echo'], 'one, two');
      assert.notEqual(answer.headers['keep-alive'], 'timeout=99');
      assert.deepEqual([headers['x-hop'], headers['te']], [undefined, undefined]);
    });

    it("pass the caller's address to the worker, but not the caller's key", async () => {
      const echo = await routes.echo('/echo', {
        headers: { 'X-Forwarded-For': '10.0.0.1', 'X-Forwarded-Proto': 'gopher' },
      });
      const { host } = new URL(routes.base);
      assert.equal(echo.headers['host'], host);
      assert.equal(echo.headers['x-forwarded-for'], '10.0.0.1, 127.0.0.1');
      assert.equal(echo.headers['x-forwarded-host'], host);
      assert.equal(echo.headers['x-forwarded-proto'], 'http');
      assert.equal(echo.headers['x-forwarded-prefix'], `/endpoints/${routes.endpoint.id}`);
      assert.ok(!JSON.stringify(echo).includes(KEY));
    });

    it('pass its ports and identity to the worker, but no variables for jobs', async () => {
      const { env } = await routes.echo();
      assert.match(env['PORT'] ?? '', /^\d+$/);
      assert.equal(env['PORT_HEALTH'], env['PORT']);
      assert.equal(env['HEALTH_CHECK_PATH'], '/ping');
      assert.equal(env['RUNPOD_ENDPOINT_ID'], routes.endpoint.id);
      assert.equal(env['RUNPOD_WEBHOOK_GET_JOB'], undefined);
    });

    it("are available under the endpoint's host name", async () => {
      const { host: address, port } = new URL(routes.base);
      const Host = `${routes.endpoint.id}.localhost:${port}`;
      const url = `http://${address}/echo?a=1`;
      const answer = await new Routes(routes.api, routes.endpoint).raw('', { path: '/echo?a=1', headers: { Host } });
      const echo = JSON.parse(await text(answer)) as { url: string; headers: Record<string, string> };
      assert.equal(echo.url, '/echo?a=1', url);
      assert.equal(echo.headers['host'], Host);
      assert.equal(echo.headers['x-forwarded-prefix'], undefined);
      const own = await routes.raw('', { path: operations.listEndpoints.path, headers: { Host } });
      assert.equal(own.statusCode, 404, "the platform's own paths do not exist under that name");
      assert.equal(await text(own), 'no such action');
    });

    it('require the key, a valid host, and a valid origin', async () => {
      const refused = async (status: number, headers: Record<string, string>) => {
        const answer = await routes.raw('/echo', { headers });
        const body = JSON.parse(await text(answer)) as { error: string; detail: string };
        assert.equal(answer.statusCode, status);
        assert.deepEqual(Object.keys(body), ['error', 'detail']);
        return body.detail;
      };
      assert.match(await refused(401, { Authorization: '' }), /missing/);
      assert.match(await refused(401, { Authorization: 'Bearer wrong' }), /invalid/);
      assert.match(await refused(403, { Host: 'evil.example.com' }), /Host/);
      assert.match(await refused(403, { Origin: 'http://evil.example.com' }), /another origin/);
    });

    it('stream the request and the response', async () => {
      const parts = new TransformStream<Uint8Array, Uint8Array>();
      const writer = parts.writable.getWriter();
      const pending = routes.fetch('/mirror', { method: 'POST', body: parts.readable, duplex: 'half' });
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      for (const part of ['first', 'second', 'third']) {
        await writer.write(new TextEncoder().encode(part));
        reader ??= (await pending).body?.getReader();
        assert.equal(new TextDecoder().decode((await reader?.read())?.value), part);
      }
      await writer.close();
      assert.equal((await reader?.read())?.done, true);
    });

    it('send the headers of a response before its first byte', async () => {
      const answer = await routes.fetch('/headers');
      assert.equal(answer.status, 200);
      await answer.body?.cancel();
    });

    it('inform the worker when the caller hangs up before or during the response', async () => {
      for (const path of ['/hang', '/silent']) {
        const controller = new AbortController();
        const pending = routes.fetch(path, { signal: controller.signal });
        if (path === '/hang') await (await pending).body?.getReader().read();
        else
          await eventually(
            'the worker has received the request',
            async () => (await routes.api.workers(routes.endpoint))[0]?.status === 'RUNNING',
          );
        controller.abort();
        await pending.catch(() => undefined);
        await routes.logsUntil('caller hung up');
        await routes.api.worker(routes.endpoint, 'IDLE');
      }
    });

    it('end when the caller hangs up during a request body of any size', async () => {
      for (const length of [10, 1_000_000]) {
        const socket = connect(Number(new URL(routes.base).port), '127.0.0.1');
        const { Authorization } = routes.authorization;
        const { pathname, host } = new URL(`${routes.base}/size`);
        socket.write(
          `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\nContent-Length: ${length}\r\n\r\n12345`,
        );
        await routes.api.worker(routes.endpoint, 'RUNNING');
        socket.destroy();
        await routes.api.worker(routes.endpoint, 'IDLE');
      }
    });

    it('apply backpressure to a large response for a slow reader', async () => {
      const size = 20 * 1_048_576;
      const answer = await routes.raw(`/flood/${size}`);
      let bytes = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        await new Promise(setImmediate);
      }
      assert.equal(bytes, size);
    });

    it('accept bodies of 30 MiB, and refuse larger ones with or without a declared length', async () => {
      const most = Buffer.alloc(30 * 1_048_576, 'x');
      const accepted = await routes.fetch('/size', { method: 'POST', body: most });
      assert.equal(await accepted.json(), most.length);
      const streamed = (size: number) => new Blob([Buffer.alloc(size, 'x')]).stream();
      const post = (body: ReadableStream) => routes.fetch('/size', { method: 'POST', body, duplex: 'half' });
      assert.equal(await (await post(streamed(most.length))).json(), most.length);
      const headers = { 'Content-Length': most.length + 1 };
      const declared = await routes.raw('/size', { method: 'POST', headers }, 'x');
      assert.equal(declared.statusCode, 400);
      declared.destroy();
      const refused = await post(streamed(most.length + 1));
      assert.equal(refused.status, 400);
      assert.match(await refused.text(), /larger than 30 MiB/);
    });

    it('abort responses over 30 MiB, and refuse those with a larger declared length', async () => {
      const declared = await routes.fetch(`/declared/${30 * 1_048_576 + 1}`);
      assert.equal(declared.status, 500);
      assert.match(await declared.text(), /response is larger than 30 MiB/);
      const flood = await routes.fetch(`/flood/${31 * 1_048_576}`);
      assert.equal(flood.status, 200);
      await assert.rejects(flood.arrayBuffer());
    });

    it('read the whole request body, even if the response does not depend on it', async () => {
      const { port, host, pathname } = new URL(routes.base);
      const { Authorization } = routes.authorization;
      const body = Buffer.alloc(20 * 1_048_576, 'x');
      const framings = [
        [`Content-Length: ${body.length}\r\n\r\n`, ''],
        [`Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
      ] as const;
      for (const [path, key, status] of [
        [`${pathname}/status/402`, Authorization, 402],
        [`${pathname}/size`, 'Bearer wrong', 401],
        ['/endpoints/nope/size', Authorization, 404],
      ] as const) {
        for (const [before, after] of framings) {
          const socket = connect(Number(port), '127.0.0.1');
          socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${key}\r\n${before}`);
          socket.write(body);
          // Like simple clients, reads the response only after the whole request is written.
          await new Promise<void>((resolve, reject) => {
            socket.on('error', reject);
            socket.write(`${after}GET / HTTP/1.1\r\n`, () => resolve());
          });
          const [answer] = (await once(socket, 'data')) as [Buffer];
          assert.equal(Number(answer.toString().split(' ')[1]), status);
          socket.destroy();
        }
      }
    });

    it('forward the trailers of a response', async () => {
      const answer = await routes.raw('/trailers');
      assert.equal(await text(answer), 'part');
      assert.deepEqual(answer.trailers, { 'x-sum': '42' });
    });

    it('refuse other methods', async () => {
      const answer = await routes.raw('/echo', { method: 'PROPFIND' });
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.headers.allow, 'GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS');
      answer.resume();
    });

    it('ignore offers to upgrade the protocol, as do other paths of the platform', async () => {
      const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
      const answer = await routes.raw('/echo', { headers });
      const echo = JSON.parse(await text(answer)) as { headers: Record<string, string> };
      assert.equal(echo.headers['upgrade'], undefined);
      const own = await routes.raw('', { path: operations.listEndpoints.path, headers });
      assert.equal(own.statusCode, 200);
      own.resume();
    });

    it("bill the worker's time like that of any other worker", async () => {
      const { records } = await routes.api.call(operations.listBilling);
      assert.ok(records.some(({ serverlessCpuAmount }) => serverlessCpuAmount > 0));
    });
  });

  describe('next to a queue', () => {
    after(cleanUp);

    it('do not exist for a queue-based endpoint, and a load-balanced endpoint has no queue', async () => {
      const { api } = await platformForTest();
      const queue = await api.createEndpoint(endpointBody({ workers: { min: 0, max: 0 } }));
      const route = await new Routes(api, queue).fetch('/echo');
      assert.equal(route.status, 400);
      const detail = 'the endpoint is queue-based: it has jobs, not routes';
      assert.deepEqual(await route.json(), { error: 'not allowed for QB API', detail });
      const endpoint = await api.createEndpoint(balanced({ workers: { min: 0, max: 0 } }));
      for (const row of [operations.runJob, operations.runJobSync]) {
        const args = { parameters: { endpointId: endpoint.id }, body: { input: {} } };
        assert.match((await api.refused(400, row, args)).error ?? '', /load-balanced and has no queue/);
      }
      const health = { parameters: { endpointId: endpoint.id } };
      assert.match((await api.refused(400, operations.getEndpointHealth, health)).error ?? '', /load-balanced/);
      const nowhere = await new Routes(api, { ...queue, id: 'nope' }).fetch('/echo');
      assert.equal(nowhere.status, 404);
      assert.deepEqual(await nowhere.json(), { error: 'not found', detail: "endpoint 'nope' not found" });
    });
  });

  describe('with a failing worker', () => {
    afterEach(cleanUp);

    it('answer 500 if the worker dies before its response, and abort the response if it dies during it', async () => {
      const routes = await routesForTest({ workers: { min: 2, max: 2 } });
      await eventually('both workers are ready', async () =>
        (await routes.api.workers(routes.endpoint)).every(({ status }) => status === 'IDLE'),
      );
      const begun = await routes.fetch('/hang');
      const id = begun.headers.get(WORKER_ID) ?? '';
      const died = await routes.fetch('/die', { headers: { [WORKER_ID]: id } });
      assert.equal(died.status, 500);
      assert.equal(died.headers.get('Retry-After'), '1');
      assert.deepEqual(Object.keys((await died.json()) as object), ['error', 'detail']);
      await assert.rejects(begun.text());
      // The other worker is not affected.
      assert.notEqual((await routes.fetch('/echo')).headers.get(WORKER_ID), id);
      await routes.logsUntil('exited with code 3', id);
      await routes.logsUntil('request failed: the connection to the worker failed', id);
    });

    it('answer 500 if a healthy worker does not listen on its port', async () => {
      const env = { PORT: '8000', PORT_HEALTH: '8001', SEPARATE_HEALTH: '1', DEAF: '1' };
      const routes = await routesForTest({ env });
      const answer = await routes.fetch('/echo', { method: 'POST', body: 'x'.repeat(1_000_000) });
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /must listen on the port in the PORT variable/);
      await routes.logsUntil('must listen on the port in the PORT variable');
    });

    it('end a request that exceeds the time limit', async () => {
      const routes = await routesForTest({ timeout: 300 });
      await routes.api.worker(routes.endpoint, 'IDLE');
      const answer = await routes.fetch('/silent');
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /did not finish the request within 0.3 s/);
      await routes.logsUntil('caller hung up');
    });

    it('let a worker finish its requests when the endpoint is deleted, and refuse waiting requests', async () => {
      const routes = await routesForTest({}, { graceMs: 5_000 });
      const worker = await routes.api.worker(routes.endpoint, 'IDLE');
      const slow = routes.fetch('/slow/300');
      await routes.api.worker(routes.endpoint, 'RUNNING');
      const sleeping = await routes.api.createEndpoint(
        balanced({ workers: { min: 0, max: 1 }, env: { FIRST_HEALTH: '204' } }),
      );
      const waiting = new Routes(routes.api, sleeping).fetch('/echo');
      await eventually(
        'a worker starts for the request',
        async () => (await routes.api.workers(sleeping)).length === 1,
      );
      for (const { id } of [routes.endpoint, sleeping]) {
        await routes.api.call(operations.deleteEndpoint, { parameters: { id } });
      }
      assert.equal((await slow).headers.get(WORKER_ID), worker.id);
      assert.equal((await waiting).status, 500);
      assert.deepEqual(await (await waiting).json(), { error: 'shutting down', detail: 'the endpoint was deleted' });
      assert.equal((await routes.fetch('/echo')).status, 404);
    });
  });
});
