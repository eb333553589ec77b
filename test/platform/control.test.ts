import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { routesForTest } from './balancerSupport.ts';
import { type Api, cleanUp, dataDirectory, endpointBody, eventually, platformForTest } from './support.ts';

const { getClock, setClock, addFault, listFaults, removeFault, removeFaults, listRequests } = controlOperations;
const { reset, seed, exportSnapshot, importSnapshot } = controlOperations;

async function pidOf(api: Api, endpoint: { id: string }): Promise<number> {
  const { output } = await api.runSync(endpoint as never, { do: 'pid' });
  return Number(output);
}

describe('Control API', () => {
  afterEach(cleanUp);

  it('is available to the owner only', async () => {
    const { api } = await platformForTest();
    const { getIdentity, handOverKey, getHealth } = controlOperations;
    const open: readonly object[] = [getIdentity, handOverKey, getHealth];
    for (const row of Object.values(controlOperations)) {
      if (open.includes(row)) continue;
      const names = ['id', 'teamId', 'userId', 'endpointId', 'jobId', 'workerId', 'debuggerId'];
      const parameters = Object.fromEntries(names.map((name) => [name, 'x'])) as never;
      await api.refused(401, row, { parameters, headers: { Authorization: 'Bearer wrong' } });
    }
  });

  it('reports its health without a key', async () => {
    const { api } = await platformForTest();
    const response = await fetch(api.addresses.baseUrl + controlOperations.getHealth.path);
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
  });

  it('has no images without an engine, and says so', async () => {
    const { api } = await platformForTest({ engine: { runtime: 'process' } });
    assert.deepEqual(await api.call(controlOperations.getEngine), { runtime: 'process', engine: null, gpus: [] });
    assert.deepEqual(await api.call(controlOperations.listImages), { images: [] });
    await api.refused(404, controlOperations.removeImage, { parameters: { id: 'sha256:0' } });
    const response = await fetch(api.addresses.baseUrl + controlOperations.pullImage.path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${api.addresses.apiKey}` },
      body: JSON.stringify({ image: 'example/worker:1' }),
    });
    const text = await response.text();
    assert.match(text, /^data: \{"event":"failed","problem":"engineMissing","reason":"there is no container engine/);
  });

  describe('clock', () => {
    it('can be stopped, advanced, and resumed', async () => {
      const { api } = await platformForTest();
      const frozen = await api.call(setClock, { body: { frozen: true } });
      assert.equal(frozen.frozen, true);
      assert.equal((await api.call(getClock)).now, frozen.now);
      const advanced = await api.call(setClock, { body: { advanceMs: 3_600_000 } });
      assert.equal(Date.parse(advanced.now) - Date.parse(frozen.now), 3_600_000);
      assert.equal(advanced.frozen, true);
      const running = await api.call(setClock, { body: { frozen: false } });
      assert.equal(running.frozen, false);
      assert.ok(running.aheadMs > 3_500_000);
      await eventually('the clock runs', async () => (await api.call(getClock)).now > running.now);
    });

    it('never moves backward', async () => {
      const { api } = await platformForTest();
      const { errors } = await api.refused(422, setClock, { body: { now: '2001-01-01T00:00:00Z' } });
      assert.match(errors?.[0] ?? '', /^\$\.now: must not be before/);
      await api.refused(422, setClock, { body: {} });
      await api.refused(422, setClock, { body: { advanceMs: 0 } });
      await api.refused(422, setClock, { body: { advanceMs: 1, now: '2999-01-01T00:00:00Z' } });
    });

    it('controls scaling and billing: an idle worker ends, and its idle time is charged', async () => {
      const { api } = await platformForTest();
      const endpoint = await api.createEndpoint({ workers: { min: 0, max: 1, idleTimeout: 60 } });
      await api.call(setClock, { body: { frozen: true } });
      await api.runSync(endpoint, { do: 'echo' });
      await api.worker(endpoint, 'IDLE');
      await api.call(setClock, { body: { advanceMs: 59_000 } });
      assert.equal((await api.workers(endpoint)).length, 1);
      await api.call(setClock, { body: { advanceMs: 2_000 } });
      await eventually('the worker has ended', async () => (await api.workers(endpoint)).length === 0);
    });

    it('controls the expiry of jobs', async () => {
      const { api } = await platformForTest();
      const endpoint = await api.createEndpoint();
      const { id } = await api.runSync(endpoint, { do: 'echo' });
      await api.call(setClock, { body: { advanceMs: 25 * 3_600_000 } });
      await api.refused(404, operations.getJobStatus, { parameters: { endpointId: endpoint.id, jobId: id } });
    });

    it('does not affect logs and the end of processes, which use real time', async () => {
      const { api } = await platformForTest({ graceMs: 50 });
      const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
      await api.call(setClock, { body: { frozen: true } });
      const done = await api.runSync(endpoint, { do: 'print', lines: 3 });
      await api.logsUntil(endpoint, done.workerId ?? '', ({ line }) => line.includes('2'));
      const { id } = await api.run(endpoint, { do: 'deaf' });
      await api.jobWithStatus(endpoint, id, 'IN_PROGRESS');
    });
  });

  describe('faults', () => {
    it('replace responses of an operation, in its shape, for the requested count', async () => {
      const { api } = await platformForTest();
      const fault = {
        operation: 'listEndpoints',
        status: 429,
        detail: 'slow down',
        count: 1,
        headers: { 'Retry-After': '3' },
      };
      const { id } = await api.call(addFault, { body: fault });
      assert.deepEqual(
        (await api.call(listFaults)).faults.map((each) => [each.id, each.hits]),
        [[id, 0]],
      );
      const response = await api.fetch(operations.listEndpoints);
      assert.equal(response.headers.get('Retry-After'), '3');
      assert.deepEqual(await response.json(), { title: 'Too Many Requests', status: 429, detail: 'slow down' });
      await api.call(operations.listEndpoints);
      assert.deepEqual((await api.call(listFaults)).faults, []);
    });

    it('affect only the operation that they name, in its error shape', async () => {
      const { api } = await platformForTest();
      const endpoint = await api.createEndpoint();
      await api.call(addFault, { body: { operation: 'runJob', status: 500 } });
      const { error } = await api.refused(500, operations.runJob, {
        parameters: { endpointId: endpoint.id },
        body: { input: { n: 1 } },
      });
      assert.match(error ?? '', /Internal Server Error/);
      assert.equal((await api.runSync(endpoint, { do: 'echo', value: 2 })).output, 2);
    });

    it('after an operation keep its effect and replace its response', async () => {
      const { api } = await platformForTest();
      await api.call(addFault, { body: { operation: 'createEndpoint', when: 'after', drop: true } });
      await assert.rejects(api.fetch(operations.createEndpoint, { body: endpointBody() }));
      await api.call(removeFaults);
      assert.equal((await api.call(operations.listEndpoints)).endpoints.length, 1);
    });

    it('before an operation prevent its effect', async () => {
      const { api } = await platformForTest();
      const { id } = await api.call(addFault, { body: { operation: '*', drop: true } });
      await assert.rejects(api.fetch(operations.createEndpoint, { body: endpointBody() }));
      await api.call(removeFault, { parameters: { id } });
      await api.refused(404, removeFault, { parameters: { id } });
      assert.equal((await api.call(operations.listEndpoints)).endpoints.length, 0);
    });

    it('delay a response before or after the operation without changing it', async () => {
      const { api } = await platformForTest();
      for (const when of ['before', 'after']) {
        await api.call(addFault, { body: { operation: 'listEndpoints', when, delayMs: 80, count: 1 } });
        const began = performance.now();
        await api.call(operations.listEndpoints);
        assert.ok(performance.now() - began >= 79);
      }
    });

    it('delay streamed and aborted responses after they have begun', async () => {
      const routes = await routesForTest({ workers: { min: 2, max: 2 } });
      const { api, endpoint } = routes;
      await eventually('both workers are ready', async () =>
        (await api.workers(endpoint)).every(({ status }) => status === 'IDLE'),
      );
      await api.call(addFault, { body: { operation: '*', when: 'after', delayMs: 200, count: 3 } });
      const headers = await routes.fetch('/headers');
      assert.equal(headers.status, 200);
      await headers.body?.cancel();
      const [worker] = await api.workers(endpoint);
      await assert.rejects(async () => (await routes.fetch('/begin-and-die')).text());
      const log = await api.logsUntil(endpoint, worker?.id ?? '', ({ line }) => line.includes('is ready'));
      assert.ok(log.length > 0);
    });

    it('are refused with the invalid field', async () => {
      const { api } = await platformForTest();
      for (const [body, field] of [
        [{ operation: 'bogus', status: 500 }, '$.operation'],
        [{ operation: '*' }, '$'],
        [{ operation: '*', status: 200 }, '$.status'],
        [{ operation: '*', status: 500, drop: true }, '$.drop'],
        [{ operation: '*', status: 500, rate: 0 }, '$.rate'],
        [{ operation: '*', status: 500, headers: { 'a b': 'c' } }, '$.headers'],
      ] as const) {
        const { errors } = await api.refused(422, addFault, { body });
        assert.ok(errors?.[0]?.startsWith(field), `${JSON.stringify(body)}: ${JSON.stringify(errors)}`);
      }
    });
  });

  it('lists recent requests, newest first, without secrets', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    await api.runSync(endpoint, { do: 'echo' });
    await api.refused(404, operations.getEndpoint, { parameters: { id: 'nothing' } });
    await fetch(`${api.addresses.baseUrl}/elsewhere?token=secret`);
    const { requests } = await api.call(listRequests);
    assert.deepEqual(
      requests.map(({ method, operation, status }) => [method, operation, status]),
      [
        ['GET', undefined, 401],
        ['GET', 'getEndpoint', 404],
        ['POST', 'runJobSync', 200],
        ['POST', 'createEndpoint', 201],
      ],
    );
    assert.ok(!JSON.stringify(requests).includes('secret'));
    const failed = await api.call(listRequests, { query: { operation: 'getEndpoint', limit: 5 } });
    assert.equal(failed.requests.length, 1);
  });

  describe('reset', () => {
    it('ends all workers and deletes all state, including faults and the clock', async () => {
      const dataDir = await dataDirectory();
      const { platform, api } = await platformForTest({ dataDir });
      const endpoint = await api.createEndpoint();
      const pid = await pidOf(api, endpoint);
      const waiting = api.runSync(endpoint, { do: 'hang' }).catch(() => undefined);
      await api.call(setClock, { body: { frozen: true, advanceMs: 1_000_000 } });
      await api.call(addFault, { body: { operation: '*', status: 503 } });
      await api.call(reset);
      await waiting;
      assert.ok(!isAlive(pid));
      assert.deepEqual((await api.call(operations.listEndpoints)).endpoints, []);
      const { totals } = (await api.call(operations.listBilling)).metadata;
      assert.equal(totals.totalAmount, 0);
      const clock = await api.call(getClock);
      assert.deepEqual([clock.frozen, Math.abs(clock.aheadMs) < 5], [false, true]);
      // The platform still works and stores data.
      const next = await api.createEndpoint();
      assert.equal((await api.runSync(next, { do: 'echo', value: 1 })).output, 1);
      await platform.close();
      const again = await platformForTest({ dataDir });
      assert.deepEqual(
        (await again.api.call(operations.listEndpoints)).endpoints.map(({ id }) => id),
        [next.id],
      );
    });

    it('can be called repeatedly by programs that embed the platform', async () => {
      const { platform, api } = await platformForTest();
      for (let round = 0; round < 5; round++) {
        await api.createEndpoint({ workers: { min: 0, max: 1 } });
        await Promise.all([platform.reset(), platform.reset()]);
        assert.deepEqual((await api.call(operations.listEndpoints)).endpoints, []);
      }
    });
  });

  describe('snapshots', () => {
    const download = async (api: Api) => new Uint8Array(await (await api.fetch(exportSnapshot)).arrayBuffer());
    const upload = (api: Api, body: Uint8Array<ArrayBuffer>) =>
      api.fetch(importSnapshot, { query: { start: 'true' } }, { body });

    for (const [from, to] of [
      ['memory', 'disk'],
      ['disk', 'memory'],
    ] as const) {
      it(`copy all state from ${from} to ${to}`, async () => {
        const directories = { memory: undefined, disk: await dataDirectory() };
        const source = await platformForTest({ dataDir: directories[from] });
        const endpoint = await source.api.createEndpoint({ workers: { min: 1, max: 1 } });
        const done = await source.api.runSync(endpoint, { do: 'print', lines: 2 });
        const pid = await pidOf(source.api, endpoint);
        const snapshot = await download(source.api);

        const target = await platformForTest({ dataDir: directories[to] });
        const old = await target.api.createEndpoint();
        const response = await upload(target.api, snapshot);
        assert.equal(response.status, 204, await response.text());
        assert.ok(isAlive(pid), "the other platform's worker keeps running");
        await target.api.refused(404, operations.getEndpoint, { parameters: { id: old.id } });
        assert.deepEqual(await target.api.job(endpoint, done.id), done);
        const logs = await target.api.logsUntil(endpoint, done.workerId ?? '', ({ line }) => line.includes('1'));
        assert.ok(logs.length > 0);
        const health = await target.api.call(operations.getEndpointHealth, { parameters: { endpointId: endpoint.id } });
        assert.equal(health.jobs.completed, 2);
        assert.equal((await target.api.runSync(endpoint, { do: 'echo', value: 3 })).output, 3);
      });
    }

    it('are refused without a change if they are invalid, damaged, or of another version', async () => {
      const { api } = await platformForTest();
      const endpoint = await api.createEndpoint();
      const good = await download(api);
      const newer = path.join(await dataDirectory(), 'newer.sqlite');
      await writeFile(newer, good);
      const database = new DatabaseSync(newer);
      database.exec('PRAGMA user_version = 999');
      database.close();
      const lacking = path.join(await dataDirectory(), 'lacking.sqlite');
      await writeFile(lacking, good);
      const other = new DatabaseSync(lacking);
      other.exec('DROP TABLE jobs');
      other.close();
      for (const [bytes, words] of [
        [Buffer.from('not a database'), /cannot be used/],
        [good.slice(0, good.length / 2), /cannot be used/],
        [new Uint8Array(), /not a snapshot|cannot be used/],
        [await readFile(newer), /another version/],
        [await readFile(lacking), /does not match the schema of its version/],
      ] as const) {
        const response = await upload(api, new Uint8Array(bytes));
        const text = await response.text();
        assert.equal(response.status, 400, text);
        assert.match(text, words);
        assert.equal((await api.call(operations.getEndpoint, { parameters: { id: endpoint.id } })).id, endpoint.id);
      }
    });
  });

  describe('seed', () => {
    const yaml = async (api: Api, text: string) => {
      const response = await fetch(api.addresses.baseUrl + seed.path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.addresses.apiKey}`, 'Content-Type': 'application/yaml' },
        body: text,
      });
      return { status: response.status, body: (await response.json()) as { errors?: string[]; jobs?: string[] } };
    };

    it('fills the platform from YAML', async () => {
      const { api } = await platformForTest();
      const { status, body } = await yaml(
        api,
        `
endpoints:
  - { id: hello1, name: hello, type: QUEUE, scaling: { type: QUEUE_DELAY, queueDelay: 1 }, workers: { max: 1 },
      cpu: [{ id: cpu3c, vcpuCount: 2 }], image: 'process:${path.join(import.meta.dirname, 'fixtures')}', args: '${process.execPath} worker.mjs' }
registries:
  - { name: mine, username: me, password: secret }
jobs:
  - { endpoint: hello, id: old-one, status: COMPLETED, output: { text: hi }, at: -7d, delayTime: 10, executionTime: 250 }
  - { endpoint: hello1, status: FAILED, error: it broke }
  - { endpoint: hello, input: { do: echo, value: 5 } }
usage:
  - { kind: serverlessGpu, resource: hello, usd: 1.23, at: -3d, until: -1d }
`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      const endpoint = await api.call(operations.getEndpoint, { parameters: { id: 'hello1' } });
      const { status: jobStatus, output, delayTime, executionTime } = await api.job(endpoint, 'old-one');
      assert.deepEqual([jobStatus, output, delayTime, executionTime], ['COMPLETED', { text: 'hi' }, 10, 250]);
      assert.equal((await api.job(endpoint, body.jobs?.[1] ?? '')).error, 'it broke');
      assert.equal((await api.jobWithStatus(endpoint, body.jobs?.[2] ?? '', 'COMPLETED')).output, 5);
      const { records, metadata } = await api.call(operations.listBilling);
      assert.equal(metadata.totals.serverlessGpuAmount, 1.23);
      assert.ok(records.filter(({ serverlessGpuAmount }) => serverlessGpuAmount > 0).length >= 2);
      const { registries } = await api.call(operations.listRegistries);
      assert.deepEqual(
        registries.map(({ name }) => name),
        ['mine'],
      );
    });

    it('is atomic, and names the invalid field', async () => {
      const { api } = await platformForTest();
      const endpoint = endpointBody({ name: 'one', workers: { max: 1 } });
      const refused = await api.refused(404, seed, { body: { endpoints: [endpoint], jobs: [{ endpoint: 'two' }] } });
      assert.deepEqual(refused.errors, ["$.jobs[0].endpoint: there is no endpoint 'two'"]);
      assert.deepEqual((await api.call(operations.listEndpoints)).endpoints, []);
      const twice = { ...endpoint, id: 'same' };
      const taken = await api.refused(409, seed, { body: { endpoints: [twice, twice] } });
      assert.deepEqual(taken.errors, ['$.endpoints[1].id: is already in use']);
      const shape = await api.refused(422, seed, { body: { endpoints: [{ ...endpoint, workers: { max: -1 } }] } });
      assert.ok(shape.errors?.[0]?.startsWith('$.endpoints[0].workers.max'), String(shape.errors));
      const text = await yaml(api, 'endpoints: [');
      assert.equal(text.status, 422);
      assert.match(text.body.errors?.[0] ?? '', /is not YAML/);
    });

    it('refuses a job ID that is in use on any endpoint or repeated, and keeps the existing job', async () => {
      const { api } = await platformForTest();
      const endpoints = ['one', 'two'].map((name) => endpointBody({ name, workers: { min: 0, max: 0 } }));
      const job = { endpoint: 'one', id: 'same', status: 'COMPLETED', output: 1, at: '-1h' };
      const { endpoints: ids } = await api.call(seed, { body: { endpoints, jobs: [job] } });
      const other = { ...job, id: 'other' };
      for (const jobs of [
        [other, { ...job, output: 2 }],
        [other, { ...job, endpoint: 'two' }],
        [other, other],
      ]) {
        await api.refused(409, seed, { body: { jobs } });
        const parameters = { endpointId: ids[0] ?? '' };
        assert.equal(
          (await api.call(operations.getJobStatus, { parameters: { ...parameters, jobId: 'same' } })).output,
          1,
        );
        await api.refused(404, operations.getJobStatus, { parameters: { ...parameters, jobId: 'other' } });
      }
    });
  });
});
