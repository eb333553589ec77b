import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Engine } from '../../../src/platform/endpoints/engine.ts';
import { STORAGE_RETRY_MS } from '../../../src/platform/store/fullDisk.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { HostCapacity } from '../../../src/platform/workers/hostCapacity.ts';
import { failWrite } from '../failingWrites.ts';
import { stubRuntime, stubDependencies, stubWorker } from '../stubRuntime.ts';
import { endpointBody, eventually, manualClock } from '../support.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

describe('Workers of a deleted endpoint', () => {
  it('are deleted once the disk has room, even while the clock is stopped', async () => {
    const [clock, realClock] = [manualClock(NOW), manualClock(NOW)];
    const store = openSqliteStore(':memory:');
    const worker = stubWorker();
    const engine = new Engine({
      ...{
        store,
        clock,
        realClock,
        runtime: stubRuntime(() => Promise.resolve(worker)),
        capacity: new HostCapacity(1),
      },
      ...{ ...stubDependencies, log: pino({ enabled: false }), graceMs: 0 },
      referencesOf: () => ({ findTemplate: () => undefined, exists: () => true, mayRunProcesses: true }),
    });
    engine.start();
    const { id } = engine.createEndpoint(endpointBody({ workers: { min: 1, max: 1 } }), { id: 'endpoint1' });
    const view = await eventually('a worker is up', () => {
      const [found] = engine.endpoint(id).views();
      return found?.startedAt === undefined ? undefined : found;
    });
    engine.deleteEndpoint(id);
    const failing = failWrite(1, { lasting: true });
    // The worker ends, but its record and logs cannot be deleted yet.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    failing.restore();
    assert.ok(store.runs.getWorker(id, view.id));
    realClock.advance(2 * STORAGE_RETRY_MS);
    await eventually('the worker is removed', () => store.runs.getWorker(id, view.id) === undefined);
    await engine.close();
    store.close();
  });
});
