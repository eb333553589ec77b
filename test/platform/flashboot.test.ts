import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import { routesForTest } from './balancerSupport.ts';
import { cleanUp, eventually, fastClock, platformForTest } from './support.ts';

describe('FlashBoot', () => {
  afterEach(cleanUp);

  if (process.platform === 'win32') return;

  const { setClock } = controlOperations;
  const scaledDown = { flashboot: 'FLASHBOOT', workers: { min: 0, max: 1, idleTimeout: 1 } } as const;

  it('freezes the process of a scaled-down worker, and resumes it for the next job', async () => {
    const { api } = await platformForTest({ clock: fastClock });
    const endpoint = await api.createEndpoint(scaledDown);
    const parameters = { endpointId: endpoint.id };
    const first = await api.runSync(endpoint, { do: 'pid' });
    assert.equal(first.status, 'COMPLETED', first.error);
    const pid = first.output as number;
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const { workers } = await api.call(operations.getEndpointHealth, { parameters });
    assert.deepEqual([workers.ready, workers.idle, workers.running], [1, 0, 0]);
    if (process.platform === 'linux')
      await eventually('the process is frozen', async () => (await stateOf(pid)) === 'T');

    const second = await api.runSync(endpoint, { do: 'pid' });
    assert.deepEqual([second.output, second.workerId], [pid, first.workerId]);

    await eventually('the worker is scaled down again', async () => (await api.workers(endpoint)).length === 0);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await eventually('the frozen process has ended', () => !isAlive(pid));
  });

  it('gives no job to a worker that waits for capacity to resume', async () => {
    const { api } = await platformForTest({ maxWorkers: 1 });
    const endpoint = await api.createEndpoint(scaledDown);
    const first = await api.runSync(endpoint, { do: 'pid' });
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const other = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(other, 'IDLE');
    const { id: jobId } = await api.run(endpoint, { do: 'pid' });
    await api.worker(endpoint, 'THROTTLED');
    await api.run(endpoint, { do: 'pid' });
    const parameters = { endpointId: endpoint.id, jobId };
    assert.equal((await api.call(operations.getJobStatus, { parameters })).status, 'IN_QUEUE');
    await api.call(operations.deleteEndpoint, { parameters: { id: other.id } });
    const second = await api.call(operations.getJobStatusSync, { parameters });
    assert.deepEqual([second.output, second.workerId], [first.output, first.workerId]);
  });

  it('starts the standby at its due time, even if the clock advances far beyond it at once', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ ...scaledDown, workers: { min: 0, max: 1, idleTimeout: 10 } });
    await api.runSync(endpoint, { do: 'pid' });
    await api.call(setClock, { body: { frozen: true } });
    await api.runSync(endpoint, { do: 'pid' });
    await api.call(setClock, { body: { advanceMs: 300_000 } });
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const { metadata } = await api.call(operations.listBilling, { query: { lastN: 1 } });
    // The cost of its two vCPUs for one minute. The whole advance would cost five times as much.
    assert.ok(metadata.totals.serverlessCpuAmount < 0.0012, JSON.stringify(metadata.totals));
  });

  it('charges nothing for standby', async () => {
    const { api } = await platformForTest({ clock: fastClock });
    const endpoint = await api.createEndpoint(scaledDown);
    await api.runSync(endpoint, { do: 'pid' });
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const total = async () => (await api.call(operations.listBilling, { query: { lastN: 1 } })).metadata.totals;
    const before = await total();
    await new Promise<void>((resolve) => void fastClock.after(24_000, resolve));
    assert.deepEqual(await total(), before);
  });

  it('resumes a load-balanced worker after a standby longer than the time limit of health checks', async () => {
    const routes = await routesForTest(scaledDown, { clock: fastClock });
    const workerOf = async () => (await routes.fetch('/echo')).headers.get('X-Runpod-Worker-Id');
    const first = await workerOf();
    await eventually('the worker is scaled down', async () => (await routes.api.workers(routes.endpoint)).length === 0);
    await new Promise<void>((resolve) => void fastClock.after(30_000, resolve));
    assert.equal(await workerOf(), first);
  });

  it('ends an outdated worker on standby', async () => {
    const { api } = await platformForTest({ clock: fastClock });
    const endpoint = await api.createEndpoint(scaledDown);
    const { output: pid } = await api.runSync(endpoint, { do: 'pid' });
    await eventually('the worker is scaled down', async () => (await api.workers(endpoint)).length === 0);
    const body = { env: { NEW: '1' } };
    await api.call(operations.updateEndpoint, { parameters: { id: endpoint.id }, body });
    await eventually('its process has ended', () => !isAlive(pid as number));
    assert.notEqual((await api.runSync(endpoint, { do: 'pid' })).output, pid);
  });
});

/** Returns the state of a Linux process. T means stopped. */
async function stateOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
