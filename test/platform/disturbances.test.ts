import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { cleanUp, eventually, type Api, platformForTest } from './support.ts';

const { addDisturbance, disturbJob, listDisturbances } = controlOperations;

describe('disturbances', () => {
  let api: Api;
  let endpoint: Endpoint;

  beforeEach(async () => {
    ({ api } = await platformForTest());
    endpoint = await api.createEndpoint({ workers: { min: 2, max: 2 } });
    await eventually('both workers are idle', async () =>
      (await api.workers(endpoint)).every(({ status }) => status === 'IDLE'),
    );
  });
  afterEach(cleanUp);

  const disturb = (body: object) => api.call(addDisturbance, { parameters: { endpointId: endpoint.id }, body });
  const list = async () => (await api.call(listDisturbances, { parameters: { endpointId: endpoint.id } })).disturbances;
  /** Counts the deliveries of jobs from now on. */
  const deliveries = async () => {
    const { id } = await disturb({ message: 'take', at: 1_000, effect: 'killWorker' });
    return async () => (await list()).find((one) => one.id === id)?.seen ?? 0;
  };
  const completed = async (input: object) => {
    const { id } = await api.run(endpoint, input as never);
    return api.jobWithStatus(endpoint, id, 'COMPLETED');
  };

  it('kill the worker before it receives a job, so that another process runs it', async () => {
    await disturb({ message: 'take', effect: 'killWorker' });
    assert.equal((await completed({ do: 'echo', value: 1 })).output, 1);
    assert.deepEqual(
      (await list()).map(({ seen, happened }) => [seen, happened]),
      [[2, true]],
    );
  });

  it('kill the worker at the counted progress report, and not earlier', async () => {
    await disturb({ message: 'progress', at: 2, effect: 'killWorker' });
    const first = await api.run(endpoint, { do: 'report', value: 'a' });
    await eventually('the first report is stored', async () => (await api.job(endpoint, first.id)).output === 'a');
    assert.equal((await list())[0]?.happened, false);
    const delivered = await deliveries();
    await api.run(endpoint, { do: 'report', value: 'b' });
    await eventually('the worker was killed', async () => (await list())[0]?.happened);
    await eventually('the job runs again', async () => (await delivered()) === 2);
  });

  it('kill the worker before its result is stored', async () => {
    await disturb({ message: 'result', effect: 'killWorker' });
    const delivered = await deliveries();
    assert.equal((await completed({ do: 'echo', value: 1 })).output, 1);
    assert.deepEqual([await delivered(), (await list())[0]?.seen], [2, 2]);
  });

  it('lose a result, so that the job runs again', async () => {
    await disturb({ message: 'result', effect: 'loseResult' });
    const delivered = await deliveries();
    await completed({ do: 'echo', value: 1 });
    assert.deepEqual([await delivered(), (await list())[0]?.seen], [2, 2]);
  });

  it('lose the answer to a result, so that the worker delivers it again', async () => {
    await disturb({ message: 'result', effect: 'loseAnswer' });
    const delivered = await deliveries();
    const job = await completed({ do: 'echo', value: 1 });
    await eventually('the result was delivered twice', async () => (await list())[0]?.seen === 2);
    assert.deepEqual([await delivered(), job.output], [1, 1]);
  });

  it('expire a lease, so that two workers run the job at the same time and the first result is ignored', async () => {
    await disturb({ message: 'take', effect: 'expireLease' });
    const { id } = await api.run(endpoint, { do: 'report', value: 1 });
    await eventually('both workers have the job', async () => (await list())[0]?.seen === 2);
    assert.equal((await api.job(endpoint, id)).status, 'IN_PROGRESS');
    await eventually('both workers run it', async () =>
      (await api.workers(endpoint)).every(({ status }) => status === 'RUNNING'),
    );
  });

  it('hold the answer to a report until the other worker is as far, and its answer until the first one is done', async () => {
    await disturb({ message: 'progress', effect: 'expireLease', holdFor: 1 });
    await disturb({ message: 'progress', at: 2, effect: 'hold', holdFor: 1_000 });
    const delivered = await deliveries();
    const results = await disturb({ message: 'result', at: 1_000, effect: 'killWorker' });
    const { id } = await api.run(endpoint, { do: 'reportAndEcho', value: 'x' });
    const job = await api.jobWithStatus(endpoint, id, 'COMPLETED');
    assert.deepEqual([job.output, await delivered()], ['x', 2]);
    assert.equal((await list()).find((one) => one.id === results.id)?.seen, 2);
  });

  it('disturb a running job at once, and refuse one that does not run', async () => {
    const { id: jobId } = await api.run(endpoint, { do: 'hang' });
    const running = await api.jobWithStatus(endpoint, jobId, 'IN_PROGRESS');
    const parameters = { endpointId: endpoint.id, jobId };
    await api.call(disturbJob, { parameters, body: { effect: 'killWorker' } });
    await eventually('another worker has the job', async () => {
      const job = await api.job(endpoint, jobId);
      return job.status === 'IN_PROGRESS' && job.workerId !== running.workerId;
    });
    await api.call(operations.cancelJob, { parameters });
    await api.refused(409, disturbJob, { parameters, body: { effect: 'expireLease' } });
    await api.refused(404, disturbJob, {
      parameters: { endpointId: endpoint.id, jobId: 'none' },
      body: { effect: 'killWorker' },
    });
  });

  it('accept effects on results only at results, and only queues', async () => {
    const { errors } = await api.refused(422, addDisturbance, {
      parameters: { endpointId: endpoint.id },
      body: { message: 'take', effect: 'loseResult' },
    });
    assert.match(errors?.[0] ?? '', /message: must be result/);
    const balanced = await api.createEndpoint({
      ...{ type: 'LOAD_BALANCER', name: 'balanced', workers: { min: 0, max: 0 } },
      scaling: { type: 'REQUEST_COUNT', requestCount: 1 },
    });
    await api.refused(404, listDisturbances, { parameters: { endpointId: balanced.id } });
  });
});
