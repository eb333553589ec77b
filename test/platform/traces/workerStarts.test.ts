import assert from 'node:assert/strict';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { operations } from '../../../src/contract/operations.ts';
import { processRuntime } from '../../../src/platform/runtimes/process/process.ts';
import type { Runtime } from '../../../src/platform/runtimes/runtime.ts';
import { balanced } from '../balancerSupport.ts';
import { afterwards, cleanUp, eventually, otherAccount, platformForTest, type Api } from '../support.ts';
import { kindsOf, spanOf } from './support.ts';

const { getWorkerStart } = controlOperations;

const startOf = (api: Api, { id: endpointId }: Endpoint, workerId: string) =>
  api.call(getWorkerStart, { parameters: { endpointId, workerId } });

describe('Start of a worker', () => {
  afterEach(cleanUp);

  for (const [type, changes] of Object.entries({ queue: {}, 'load-balanced': balanced() }))
    it(`of a ${type} endpoint has its parts, until the worker was ready`, async () => {
      const { api } = await platformForTest();
      const endpoint = await api.createEndpoint({ ...changes, workers: { min: 1, max: 1 } });
      const { id } = await api.worker(endpoint, 'IDLE');
      const start = await startOf(api, endpoint, id);
      assert.deepEqual(kindsOf(start), ['coldStart', 'creating', 'loading']);
      assert.deepEqual([start.workerId, start.endpointId], [id, endpoint.id]);
      const whole = spanOf(start, 'coldStart');
      assert.equal(whole.end, start.readyAt);
      assert.equal(spanOf(start, 'creating').start, whole.start);
      assert.equal(spanOf(start, 'loading').end, whole.end);
      assert.equal(whole.release, 1);
    });

  it('includes what the worker waits for', async () => {
    const { api } = await platformForTest({ maxWorkers: 1 });
    const other = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    await api.worker(other, 'IDLE');
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.worker(endpoint, 'THROTTLED');
    const waiting = await startOf(api, endpoint, id);
    assert.deepEqual(kindsOf(waiting), ['waitingForSlot']);
    assert.equal(waiting.readyAt, undefined);
    assert.match(spanOf(waiting, 'waitingForSlot').reason ?? '', /maximum of 1 workers/);
    await api.call(operations.deleteEndpoint, { parameters: { id: other.id } });
    await api.worker(endpoint, 'IDLE');
    assert.deepEqual(kindsOf(await startOf(api, endpoint, id)), ['waitingForSlot', 'coldStart', 'creating', 'loading']);
  });

  it('has its parts even if the process asks for a job before its start is reported', async () => {
    const held = Promise.withResolvers<void>();
    const { api } = await platformForTest({
      createRuntime: ({ clock, gate }) => {
        const runtime = processRuntime(clock, { gate });
        const start = async (...of: Parameters<Runtime['start']>) => {
          const running = await runtime.start(...of);
          await held.promise;
          return running;
        };
        return { ...runtime, start };
      },
    });
    afterwards(() => {
      held.resolve();
      return Promise.resolve();
    });
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.worker(endpoint, 'IDLE');
    assert.deepEqual(kindsOf(await startOf(api, endpoint, id)), ['coldStart', 'creating', 'loading']);
    held.resolve();
    const workerStarted = async () => (await api.workers(endpoint)).some(({ startedAt }) => startedAt !== null);
    await eventually('the start is reported', workerStarted);
    assert.deepEqual(kindsOf(await startOf(api, endpoint, id)), ['coldStart', 'creating', 'loading']);
  });

  it('that failed has the reason, and the pause before the next one', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 }, cmd: [process.execPath, '-e', '0'] });
    const { id } = await api.worker(endpoint, 'UNHEALTHY');
    const start = await eventually('a start has failed', async () => {
      const one = await startOf(api, endpoint, id);
      return one.spans.at(-1)?.kind === 'waitingAfterFailure' && one;
    });
    const reason = 'the process exited with code 0';
    assert.equal(spanOf(start, 'coldStart').reason, reason);
    assert.equal(start.spans.at(-1)?.reason, reason);
    assert.equal(start.readyAt, undefined);
  });

  it('is the last one of a worker that was restarted', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id } = await api.worker(endpoint, 'IDLE');
    const first = await startOf(api, endpoint, id);
    await api.call(operations.runJob, { parameters: { endpointId: endpoint.id }, body: { input: { do: 'die' } } });
    const second = await eventually('the worker is ready again', async () => {
      const start = await startOf(api, endpoint, id);
      return start.readyAt !== undefined && start.readyAt !== first.readyAt && start;
    });
    assert.equal(second.spans[0]?.kind, 'waitingAfterFailure');
    assert.equal(spanOf(second, 'coldStart').end, second.readyAt);
  });

  it('is that of a worker of an endpoint that the key may read', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const other = await otherAccount(api);
    const endpoint = await other.createEndpoint({ workers: { min: 1, max: 1 } });
    const { id: workerId } = await other.worker(endpoint, 'IDLE');
    const parameters = { endpointId: endpoint.id, workerId };
    for (const reader of [api, other]) await reader.call(getWorkerStart, { parameters });
    await (await otherAccount(api)).refused(404, getWorkerStart, { parameters });
    await api.refused(404, getWorkerStart, { parameters: { ...parameters, workerId: 'unknown' } });
    await api.refused(404, getWorkerStart, { parameters: { ...parameters, endpointId: 'unknown' } });
  });
});
