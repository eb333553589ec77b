// Clauses of the interface: Rules 5; Errors, load-balanced.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { operations } from '../../src/contract/operations.ts';
import { systemClock, type Clock } from '../../src/platform/time/clock.ts';
import { balanced, Routes, routesForTest } from './balancerSupport.ts';
import { afterwards, cleanUp, dataDirectory, eventually, fastClock, platformForTest } from './support.ts';

const WORKER_ID = 'X-Runpod-Worker-Id';

/** Accelerates waits of minutes to a few hundred milliseconds. Shorter waits are unchanged. */
const acceleratedClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => systemClock.after(ms >= 60_000 ? ms / 400 : ms, callback),
};

describe('Workers of a load-balanced endpoint', () => {
  afterEach(cleanUp);

  const workers = (routes: Routes) => routes.api.workers(routes.endpoint);
  const workerOf = (answer: Response): string => answer.headers.get(WORKER_ID) ?? '';
  const health = async (routes: Routes, status: number): Promise<Response> => routes.fetch(`/health/${status}`);

  describe('health checks', () => {
    it('treat 204 as starting, 200 as ready, and other statuses as unhealthy', async () => {
      const env = { FIRST_HEALTH: '204', PORT: '5000', PORT_HEALTH: '5000', HEALTH_CHECK_PATH: '/up' };
      const routes = await routesForTest({ env });
      const [worker] = await workers(routes);
      assert.equal(worker?.status, 'INITIALIZING');
      const port = Number(/PORT=(\d+)/.exec(await routes.logsUntil('PORT='))?.[1]);
      const setHealth = (status: number) => fetch(`http://127.0.0.1:${port}/health/${status}`);
      const waiting = routes.fetch('/echo');
      await setHealth(200);
      assert.equal((await waiting).status, 200);
      await health(routes, 500);
      await routes.api.worker(routes.endpoint, 'UNHEALTHY');
      assert.match(await routes.logsUntil('not ready'), /GET \/up on port \d+ returned 500/);
      await setHealth(204);
      await routes.api.worker(routes.endpoint, 'INITIALIZING');
      await setHealth(200);
      await routes.api.worker(routes.endpoint, 'IDLE');
      assert.equal((await routes.fetch('/echo')).status, 200);
    });

    it('use any path that the endpoint sets, and escape it', async () => {
      const path = '/%C3%BC%20p/%2F?a=1';
      const routes = await routesForTest({ env: { HEALTH_CHECK_PATH: '/ü p/%2F?a=1' } });
      assert.equal((routes.endpoint.requestUrls as { health: string }).health, routes.base + path);
      assert.equal((await routes.echo()).env['HEALTH_CHECK_PATH'], path);
    });

    it('use a separate port if the endpoint sets one', async () => {
      const routes = await routesForTest({ env: { PORT: '5000', PORT_HEALTH: '5001', SEPARATE_HEALTH: '1' } });
      const { env } = await routes.echo();
      assert.notEqual(env['PORT'], env['PORT_HEALTH']);
      assert.notEqual(env['PORT'], '5000');
    });

    it('use either port if the endpoint sets only PORT', async () => {
      for (const env of [{ PORT: '5000' }, { PORT: '5000', SEPARATE_HEALTH: '1' }]) {
        const routes = await routesForTest({ env });
        assert.equal((await routes.fetch('/echo')).status, 200);
      }
    });

    it('replace workers that never become ready', async () => {
      let skipped = 0;
      const clock: Clock = { now: () => Date.now() + skipped, after: (ms, callback) => fastClock.after(ms, callback) };
      const routes = await routesForTest({ env: { FIRST_HEALTH: '204' } }, { clock });
      await routes.logsUntil('PORT=');
      skipped = 10_000;
      assert.match(
        await routes.logsUntil('still starting'),
        /starting: GET .* returned 204; its server must listen on the port in the PORT variable/,
      );
      skipped = 480_000;
      assert.match(
        await routes.logsUntil('restart worker'),
        /did not become ready in time: GET \/ping .* returned 204/,
      );
    });
  });

  describe('scaling', () => {
    it('starts the first worker for the first request, and ends it when it is idle', async () => {
      const routes = await routesForTest({ workers: { min: 0, max: 3, idleTimeout: 1 } });
      assert.deepEqual(await workers(routes), []);
      assert.equal((await routes.fetch('/echo')).status, 200);
      assert.equal((await workers(routes)).length, 1);
      await eventually('the worker has ended', async () => (await workers(routes)).length === 0);
    });

    it('starts one worker per requestCount concurrent requests, up to the maximum', async () => {
      const scaling = { type: 'REQUEST_COUNT' as const, requestCount: 2 };
      const routes = await routesForTest({ scaling, workers: { min: 0, max: 2, idleTimeout: 1 } });
      const controller = new AbortController();
      const requests = Array.from({ length: 7 }, () => routes.fetch('/hang', { signal: controller.signal }));
      const answers = await Promise.all(requests);
      await eventually('two workers exist', async () => (await workers(routes)).length === 2);
      // Requests that arrived before the second worker was ready went to the first.
      assert.ok(new Set(answers.map(workerOf)).size <= 2);
      controller.abort();
      await eventually('the workers have ended', async () => (await workers(routes)).length === 0);
    });

    it('refuses a request that waited too long for a worker', async () => {
      const routes = await routesForTest({ workers: { min: 0, max: 0 } }, { clock: acceleratedClock });
      const answer = await routes.fetch('/echo', { method: 'POST', body: 'x'.repeat(200_000) });
      assert.equal(answer.status, 500);
      assert.equal(answer.headers.get('Retry-After'), '5');
      const detail = 'no worker became ready within 120 s';
      assert.deepEqual(await answer.json(), { error: 'no workers available', detail });
    });

    it('ends a starting worker when its only caller hangs up', async () => {
      let skipped = 0;
      const clock: Clock = { now: () => Date.now() + skipped, after: (ms, callback) => fastClock.after(ms, callback) };
      const changes = { workers: { min: 0, max: 1, idleTimeout: 1 }, env: { FIRST_HEALTH: '204' } };
      const routes = await routesForTest(changes, { clock });
      const controller = new AbortController();
      const pending = routes.fetch('/echo', { signal: controller.signal });
      const id = await eventually('a worker starts for the request', async () => (await workers(routes))[0]?.id);
      controller.abort();
      await assert.rejects(pending);
      await routes.logsUntil('PORT=', id);
      // The process can print lines before its start is recorded.
      await eventually('its start is recorded', async () => typeof (await workers(routes))[0]?.startedAt === 'string');
      skipped = 480_000;
      await eventually(
        'the worker has ended and no other has started',
        async () => (await workers(routes)).length === 0,
      );
    });
  });

  describe('routing', () => {
    it('prefers the worker with the fewest requests', async () => {
      const routes = await routesForTest({ workers: { min: 3, max: 3 } });
      await eventually('all workers are ready', async () =>
        (await workers(routes)).every(({ status }) => status === 'IDLE'),
      );
      const hang = () => routes.fetch('/hang');
      const [first, second, third] = await Promise.all([hang(), hang(), hang()]);
      assert.equal(new Set([first, second, third].map(workerOf)).size, 3, 'each worker has one request');
      await second.body?.cancel();
      const free = workerOf(second);
      await eventually('one worker is free', async () =>
        (await workers(routes)).some(({ status }) => status === 'IDLE'),
      );
      assert.equal(workerOf(await routes.fetch('/echo')), free);
      assert.equal(workerOf(await routes.fetch('/echo')), free, 'the other workers are still busy');
      await Promise.all([first.body?.cancel(), third.body?.cancel()]);
    });

    it('honors a preferred worker, and uses others if it has ended', async () => {
      const routes = await routesForTest({ workers: { min: 2, max: 2 } });
      await eventually('both workers are ready', async () =>
        (await workers(routes)).every(({ status }) => status === 'IDLE'),
      );
      const hanging = await routes.fetch('/hang');
      const headers = { [WORKER_ID]: workerOf(hanging) };
      for (let count = 0; count < 3; count++) {
        assert.equal(
          workerOf(await routes.fetch('/echo', { headers })),
          workerOf(hanging),
          'the preferred worker is busier',
        );
      }
      await hanging.body?.cancel();
      assert.equal((await routes.fetch('/echo', { headers: { [WORKER_ID]: 'gone' } })).status, 200);
    });

    it('refuses a strict request if its worker has ended or does not become ready in time', async () => {
      const routes = await routesForTest({ workers: { min: 1, max: 1 } }, { clock: acceleratedClock });
      const { id } = await routes.api.worker(routes.endpoint, 'IDLE');
      const strictly = (worker: string) => routes.fetch('/echo', { headers: { [WORKER_ID]: `strict ${worker}` } });
      assert.equal(workerOf(await strictly(id)), id);
      const gone = await strictly('missing');
      assert.equal(gone.status, 404);
      assert.equal(((await gone.json()) as { error: string }).error, 'affinity_worker_gone');
      await health(routes, 503);
      await routes.api.worker(routes.endpoint, 'UNHEALTHY');
      const late = await strictly(id);
      assert.equal(late.status, 400);
      assert.deepEqual(await late.json(), {
        error: 'worker_timeout',
        detail: `timed out waiting for worker '${id}'`,
      });
    });

    it('restarts a scaled-down worker for a strict-resume request', async () => {
      const routes = await routesForTest({ workers: { min: 0, max: 1, idleTimeout: 1 } });
      const id = workerOf(await routes.fetch('/echo'));
      await eventually('the worker has ended', async () => (await workers(routes)).length === 0);
      await routes.logsUntil('ended by', id);
      const call = (mode: string, worker = id) =>
        routes.fetch('/echo', { headers: { [WORKER_ID]: `${mode} ${worker}` } });
      assert.equal((await call('strict')).status, 404);
      assert.equal((await call('strict-resume', 'never-seen')).status, 404);
      const back = await call('strict-resume');
      assert.equal(back.status, 200);
      assert.equal(workerOf(back), id);
    });
  });

  it('receive no requests while their process restarts', async () => {
    const routes = await routesForTest({ workers: { min: 2, max: 2 } });
    await eventually('both workers are ready', async () =>
      (await workers(routes)).every(({ status }) => status === 'IDLE'),
    );
    assert.equal((await routes.fetch('/die')).status, 500);
    const { id } = await routes.api.worker(routes.endpoint, 'UNHEALTHY');
    for (let count = 0; count < 4; count++) {
      const answer = await routes.fetch('/echo');
      assert.equal(answer.status, 200);
      assert.notEqual(workerOf(answer), id);
    }
  });

  it('finish their requests after they become unhealthy, and idle workers are scaled down first', async () => {
    const scaling = { type: 'REQUEST_COUNT' as const, requestCount: 1 };
    const routes = await routesForTest({ scaling, workers: { min: 0, max: 2, idleTimeout: 1 } });
    const hanging = [await routes.fetch('/hang'), await routes.fetch('/hang')];
    await eventually('one worker is free', async () => (await workers(routes)).some(({ status }) => status === 'IDLE'));
    hanging.push(await routes.fetch('/hang'));
    assert.equal(new Set(hanging.map(workerOf)).size, 2);
    const [kept, ...others] = hanging;
    const id = kept ? workerOf(kept) : '';
    const port = /PORT=(\d+)/.exec(await routes.logsUntil('PORT=', id))?.[1] ?? '';
    await fetch(`http://127.0.0.1:${port}/health/500`);
    await routes.api.worker(routes.endpoint, 'UNHEALTHY');
    for (const other of others) await other.body?.cancel();
    const log = await eventually(
      'the idle worker has ended',
      async () => (await workers(routes)).length === 1 && workers(routes),
    );
    assert.deepEqual(
      log.map((worker) => worker.id),
      [id],
    );
    await kept?.body?.cancel();
    await eventually('the other worker has ended', async () => (await workers(routes)).length === 0);
    assert.match(await routes.logsUntil('stop worker', id), /caller hung up/);
  });

  it('finish their requests before they are replaced after a change of the endpoint', async () => {
    const routes = await routesForTest({ workers: { min: 1, max: 2 } });
    const old = await routes.api.worker(routes.endpoint, 'IDLE');
    const slow = routes.fetch('/slow/600');
    await routes.api.worker(routes.endpoint, 'RUNNING');
    const parameters = { id: routes.endpoint.id };
    await routes.api.call(operations.updateEndpoint, { parameters, body: { env: { COLOR: 'blue' } } });
    const echo = await routes.echo();
    assert.equal(echo.env['COLOR'], 'blue');
    const answer = await slow;
    assert.deepEqual([answer.status, workerOf(answer)], [200, old.id]);
    await eventually('the old worker has ended', async () => (await workers(routes)).every(({ id }) => id !== old.id));
  });

  it('have unique ports', async () => {
    const other = createServer((_, response) => response.end('another server')).listen(0, '127.0.0.1');
    afterwards(() => new Promise((resolve) => other.close(resolve)));
    const { api } = await platformForTest();
    const workers = { min: 3, max: 3 };
    const all = await Promise.all(
      [1, 2].map(async () => new Routes(api, await api.createEndpoint(balanced({ workers })))),
    );
    const ports = new Set<string | undefined>();
    for (const routes of all) {
      await eventually('all workers are ready', async () =>
        (await api.workers(routes.endpoint)).every(({ status }) => status === 'IDLE'),
      );
      for (let count = 0; count < 3; count++) ports.add((await routes.echo()).env['PORT']);
    }
    assert.equal(ports.size, 6);
  });

  it('start again after a restart of the platform', async () => {
    const dataDir = await dataDirectory();
    const first = await platformForTest({ dataDir });
    const endpoint = await first.api.createEndpoint(balanced());
    await first.platform.close();
    const second = await platformForTest({ dataDir });
    assert.equal((await new Routes(second.api, endpoint).fetch('/echo')).status, 200);
  });
});
