import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { launch } from './launch.ts';
import { Api, cleanUp, dataDirectory, endpointBody, eventually, platformForTest } from './support.ts';

describe('Durability', () => {
  afterEach(cleanUp);

  it('keeps endpoints, jobs, logs, and usage over a restart', async () => {
    const dataDir = await dataDirectory();
    const { platform, api } = await platformForTest({ dataDir });
    const endpoint = await api.createEndpoint();
    const done = await api.runSync(endpoint, { do: 'print', lines: 1 });
    const unfinished = await api.run(endpoint, { do: 'hang' });
    await api.jobWithStatus(endpoint, unfinished.id, 'IN_PROGRESS');
    await platform.close();

    const { api: again } = await platformForTest({ dataDir });
    const { endpoints } = await again.call(operations.listEndpoints);
    assert.deepEqual(
      endpoints.map(({ id }) => id),
      [endpoint.id],
    );
    assert.deepEqual(await again.job(endpoint, done.id), done);
    assert.notEqual((await again.job(endpoint, unfinished.id)).status, 'COMPLETED');
    await again.jobWithStatus(endpoint, unfinished.id, 'IN_PROGRESS');
    const logs = await again.logsUntil(endpoint, done.workerId ?? '', ({ line }) => line.startsWith('process '), {
      query: { tail: 1 },
    });
    assert.equal(logs.length, 1);
    const { metadata } = await again.call(operations.listBilling, { query: { lastN: 1 } });
    assert.ok(metadata.totals.serverlessCpuAmount > 0);
  });

  it('refuses new endpoints during shutdown', async () => {
    const { platform, api } = await platformForTest();
    const deaf = [
      '-e',
      "process.on('SIGTERM', () => undefined); console.log('up'); setInterval(() => undefined, 1000)",
    ];
    const endpoint = await api.createEndpoint({ cmd: [process.execPath, ...deaf], workers: { min: 1, max: 1 } });
    const [worker] = await eventually('the worker is listed', async () => {
      const workers = await api.workers(endpoint);
      return workers.length > 0 && workers;
    });
    await api.logsUntil(endpoint, worker?.id ?? '', ({ line }) => line === 'up');
    const closed = platform.close();
    await api.refused(503, operations.createEndpoint, { body: endpointBody() });
    await closed;
  });

  it('bills usage in records that add up to the totals', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const gpu = await api.createEndpoint({ cpu: undefined, gpu: { pools: ['ADA_24'], count: 2 } });
    await api.runSync(endpoint, { do: 'echo' });
    await api.runSync(gpu, { do: 'echo' });
    // A worker can start work before its runtime reports the process.
    const { records, metadata } = await eventually('both workers are on the bill', async () => {
      const bill = await api.call(operations.listBilling);
      return bill.metadata.totals.serverlessCpuAmount > 0 && bill.metadata.totals.serverlessGpuAmount > 0 && bill;
    });
    assert.equal(metadata.query.bucketSize, 'day');
    assert.equal(metadata.recordCount, records.length);
    assert.equal(records.length, 31);
    const { totals } = metadata;
    assert.ok(totals.serverlessCpuAmount >= 0.00002);
    assert.ok(totals.serverlessGpuAmount >= 0.00062);
    assert.ok(totals.serverlessDiskAmount > 0);
    const nano = (amount: number): number => Math.round(amount * 1e9);
    const { serverlessCpuAmount, serverlessGpuAmount, serverlessDiskAmount, totalAmount } = totals;
    assert.equal(nano(totalAmount), nano(serverlessCpuAmount) + nano(serverlessGpuAmount) + nano(serverlessDiskAmount));
    assert.equal(
      nano(totalAmount),
      records.reduce((sum, record) => sum + nano(record.totalAmount), 0),
    );
    await api.refused(400, operations.listBilling, { query: { lastN: 2, endTime: '2026-01-01T00:00:00Z' } });
    await api.refused(422, operations.listBilling, { query: { lastN: 0 } });
    await api.refused(422, operations.listBilling, { query: { bucketSize: 'minute' } });
  });

  it('after SIGKILL, keeps accepted data, ends orphaned workers, and charges them once', async () => {
    const dataDir = await dataDirectory();
    const killed = launch(['--json', '--data-dir', dataDir]);
    const api = new Api(await killed.announcement());
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const running = await api.run(endpoint, { do: 'hang' });
    const { workerId = '' } = await api.jobWithStatus(endpoint, running.id, 'IN_PROGRESS');
    const waiting = await api.run(endpoint, { do: 'echo', value: 'survived' });
    const [started] = await api
      .logsUntil(endpoint, workerId, ({ line }) => /^process \d+ started$/.test(line), {
        query: { source: 'system', tail: 100 },
      })
      .then((events) => events.slice(-1));
    const workerPid = Number(/\d+/.exec(started?.line ?? '')?.[0]);
    killed.kill('SIGKILL');
    await killed.exit;
    assert.ok(isAlive(workerPid), 'the worker survived the platform');

    const next = launch(['--json', '--data-dir', dataDir]);
    const again = new Api(await next.announcement());
    await eventually('the orphan has ended', () => !isAlive(workerPid));
    const retaken = await again.jobWithStatus(endpoint, running.id, 'IN_PROGRESS');
    assert.notEqual(retaken.workerId, workerId);
    await again.call(operations.cancelJob, { parameters: { endpointId: endpoint.id, jobId: running.id } });
    assert.equal((await again.jobWithStatus(endpoint, waiting.id, 'COMPLETED')).output, 'survived');
    next.kill('SIGTERM');
    assert.equal((await next.exit).code, 0);
  });
});
