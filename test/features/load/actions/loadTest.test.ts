import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { JobTarget } from '../../../../src/features/load/actions/loadTarget.ts';
import {
  capProblem,
  planLoad,
  runLoadTest,
  type PlannedLoad,
  type TestOptions,
} from '../../../../src/features/load/actions/loadTest.ts';
import type { RateProfile } from '../../../../src/features/load/model/arrivals.ts';
import { cleanUp, eventually, platformForTest, type Api } from '../../../platform/support.ts';

const { signal: never } = new AbortController();

describe('A load test of a queue endpoint', () => {
  let api: Api;
  let client: Client;

  before(async () => {
    ({ api } = await platformForTest());
    client = createClient({ connection: api.addresses, fetch: globalThis.fetch, honorsIdempotencyKeys: true });
  });

  after(cleanUp);

  const plan = (endpoint: Endpoint, profile: Partial<RateProfile> = {}, drainMs = 60_000): Promise<PlannedLoad> =>
    planLoad(
      {
        ...{ client, endpointId: endpoint.id, isLocal: true, drainMs, secondsPerArrival: undefined },
        profile: { kind: 'rate', rate: 20, rampTo: 20, seconds: 1, arrivals: 'constant', seed: 1, ...profile },
      },
      never,
    );

  const run = (planned: PlannedLoad, input: object, changes: Partial<TestOptions> = {}) =>
    runLoadTest(planned, {
      ...{ cap: undefined, thresholds: [], drain: never, stop: never, cancelsRest: () => false },
      ...{ names: { file: 'a.job.json', platform: 'Local Platform' }, onProgress: () => undefined },
      target: new JobTarget(client, planned.endpoint.id, { input: { ...input } }),
      ...changes,
    });

  it('estimates the cost from the price, the workers, and the time', async () => {
    const endpoint = await api.createEndpoint({ workers: { min: 0, max: 3, idleTimeout: 5 } });
    const planned = await plan(endpoint, { rate: 10, rampTo: 30, seconds: 10 }, 5_000);
    assert.ok(planned.pricePerHour !== undefined && planned.estimate !== undefined);
    assert.equal(planned.arrivals, 200);
    assert.ok(Math.abs(planned.estimate - (3 * (10 + 5 + 5) * planned.pricePerHour) / 3_600) < 1e-9);
    assert.deepEqual(
      [
        capProblem(planned, undefined),
        capProblem(planned, planned.estimate),
        capProblem(planned, planned.estimate / 2),
      ],
      [undefined, undefined, 'estimateExceedsCap'],
    );
    assert.equal(capProblem({ ...planned, estimate: undefined }, 1), 'unknownPrice');
  });

  it('adds up the time in the queue and on the worker, which the platform reports', async () => {
    const endpoint = await api.createEndpoint({ name: 'times', workers: { min: 1, max: 1 } });
    const { counts, latency, queue, execution, failures } = await run(await plan(endpoint), { do: 'echo', value: 1 });
    assert.deepEqual([counts.completed, failures], [20, {}]);
    assert.ok((latency.max ?? NaN) >= Math.max(queue.max ?? NaN, execution.max ?? NaN), JSON.stringify(latency));
    assert.ok((latency.mean ?? NaN) * 1.01 >= (queue.mean ?? NaN) + (execution.mean ?? NaN) - 1);
  });

  it('names the settings that were in force, and those that changed in between', async () => {
    let updating: Promise<unknown> | undefined;
    const endpoint = await api.createEndpoint({ name: 'changed', workers: { min: 1, max: 1 } });
    const change = client
      .updateEndpoint({ id: endpoint.id, body: { workers: { min: 1, max: 2 } } })
      .then(() => undefined);
    const planned = await plan(endpoint, { rate: 2, rampTo: 2 });
    await change;
    const { settings, changes } = await run(
      planned,
      { do: 'echo' },
      {
        onProgress: ({ isDraining }) => {
          if (isDraining)
            updating ??= client.updateEndpoint({ id: endpoint.id, body: { workers: { min: 1, max: 3 } } });
        },
        // The wait ends with the update, so that the last read sees it.
        target: waitingFor(new JobTarget(client, endpoint.id, { input: { do: 'echo' } }), () => updating),
      },
    );
    assert.equal(settings['workers.max'], 2);
    assert.ok(
      changes.some(({ setting, from, to }) => setting === 'workers.max' && from === 2 && to === 3),
      JSON.stringify(changes),
    );
  });

  it('cancels the jobs without a result at the end, if asked', async () => {
    const endpoint = await api.createEndpoint({ name: 'paused', workers: { min: 0, max: 0 } });
    const asked: number[] = [];
    const { counts, latency } = await run(
      await plan(endpoint, {}, 0),
      { do: 'echo' },
      {
        cancelsRest: (rest) => asked.push(rest) > 0,
      },
    );
    assert.deepEqual([counts.due, counts.unanswered, asked], [20, 20, [20]]);
    assert.ok((latency.max ?? 0) > 900, 'the waits are part of the latencies');
    await eventually('no job is left', async () => {
      const { jobs } = await client.getEndpointHealth({ endpointId: endpoint.id });
      return jobs.inQueue === 0;
    });
  });

  it('reports refused jobs by their reason', async () => {
    const endpoint = await api.createEndpoint({ name: 'deleted', workers: { min: 0, max: 0 } });
    const planned = await plan(endpoint, { seconds: 0.1 });
    const { counts, failures } = await run(
      planned,
      {},
      {
        target: new JobTarget(client, 'none', { input: {} }),
      },
    );
    assert.deepEqual([counts.failed, failures], [2, { 'HTTP 404': 2 }]);
  });
});

/** A target that is closed after another change. */
function waitingFor(target: JobTarget, change: () => Promise<unknown> | undefined): TestOptions['target'] {
  return {
    send: () => target.send(),
    close: async (cancels) => {
      await change();
      await target.close(cancels);
    },
  };
}
