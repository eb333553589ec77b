import assert from 'node:assert/strict';
import { Endpoint } from '../../../src/contract/endpoint.ts';
import { Worker, type WorkerSummary } from '../../../src/contract/worker.ts';
import { duration, renderEndpoint, renderWorker } from '../../../src/features/endpoints/endpointRenderer.ts';
import type { EndpointSnapshot } from '../../../src/features/endpoints/endpointStore.ts';

const endpoint = Endpoint.parse({
  id: '4m7x2k9q',
  name: 'hello',
  type: 'QUEUE',
  workers: { min: 0, max: 3, idleTimeout: 10 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  dataCenterIds: [],
  networkVolumes: [],
  mounts: {},
  timeout: 300_000,
  flashboot: 'OFF',
  createdAt: '2026-01-01T00:00:00Z',
  image: 'process:/home/me/samples/hello',
});

function snapshot(counts: Partial<WorkerSummary> = {}, changes: Partial<EndpointSnapshot> = {}): EndpointSnapshot {
  const summary = { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 0, ...counts };
  return { endpoint, workers: { workers: [], summary }, deleting: false, ...changes };
}

describe('the row of an endpoint', () => {
  const cases: [string, EndpointSnapshot, string, string][] = [
    ['that has no workers', snapshot(), 'no workers', 'circle-outline'],
    ['whose workers start', snapshot({ initializing: 1 }), '1 initializing', 'loading~spin'],
    ['whose workers are idle', snapshot({ idle: 2 }), '2 idle', 'pass'],
    ['that works, whatever else is idle', snapshot({ running: 1, idle: 2 }), '1 running', 'sync~spin'],
    ['that waits for capacity', snapshot({ throttled: 1, idle: 1 }), '1 throttled', 'warning'],
    ['that is in trouble, before all else', snapshot({ unhealthy: 1, running: 3 }), '1 worker unhealthy', 'error'],
    ['that is being deleted', snapshot({ idle: 1 }, { deleting: true }), 'Deleting…', 'loading~spin'],
    ['whose workers cannot be listed', snapshot({}, { workers: undefined }), 'workers unknown', 'question'],
    [
      'that is paused',
      snapshot({}, { endpoint: { ...endpoint, workers: { min: 0, max: 0 } } }),
      'paused: at most 0 workers',
      'debug-pause',
    ],
  ];
  for (const [name, given, description, icon] of cases) {
    it(`tells one ${name}`, () => {
      const row = renderEndpoint(given);
      assert.deepEqual([row.label, row.description, row.icon], ['hello', description, icon]);
      assert.equal(row.spoken, `Endpoint hello, ${description}`);
    });
  }

  it('offers what its type allows, and nothing while it is being deleted', () => {
    assert.equal(renderEndpoint(snapshot()).contextValue, 'endpoint.QUEUE');
    assert.equal(renderEndpoint(snapshot({}, { deleting: true })).contextValue, 'endpointDeleting');
  });

  it('has a tooltip that shows only the last part of a local directory', () => {
    const { tooltip } = renderEndpoint(snapshot());
    assert.match(tooltip, /`process:…\/hello`/);
    assert.match(tooltip, /0 to 3/);
    assert.doesNotMatch(tooltip, /\/home\/me/);
  });

  it('lets no name become markup', () => {
    const named = { ...endpoint, name: '[x](command:evil) **b** | <i>' };
    assert.match(renderEndpoint(snapshot({}, { endpoint: named })).tooltip, /\\\[x\\\]\\\(command:evil\\\) \\\*\\\*b/);
  });
});

describe('the row of a worker', () => {
  const worker = Worker.parse({ id: 'w1', status: 'IDLE', isStale: false, gpuCount: 0, version: 2, uptimeSeconds: 75 });

  it('says state and uptime', () => {
    const { label, description, icon, spoken } = renderWorker(worker);
    assert.deepEqual([label, description, icon], ['w1', 'idle, up 1 min', 'pass']);
    assert.equal(spoken, 'Worker w1, idle, up 1 min');
  });

  it('says that it runs an old version', () => {
    assert.equal(renderWorker({ ...worker, isStale: true }).description, 'idle, up 1 min, old version');
  });

  it('carries a state that is newer than the product', () => {
    const { description, icon } = renderWorker({ ...worker, status: 'DRAINING', uptimeSeconds: null });
    assert.deepEqual([description, icon], ['draining', 'question']);
  });
});

describe('a duration', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_900, '1 h 5 min'],
    [187_200, '2 d 4 h'],
  ] as const) {
    it(`of ${seconds} seconds reads ${text}`, () => assert.equal(duration(seconds), text));
  }
});
