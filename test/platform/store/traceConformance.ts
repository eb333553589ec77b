import assert from 'node:assert/strict';
import { createJob } from '../../../src/platform/domain/job.ts';
import type { JobTraceEvent } from '../../../src/platform/domain/jobTraceEvent.ts';
import type { WorkerEventRecord, WorkerTraceEvent } from '../../../src/platform/domain/workerTraceEvent.ts';
import type { Store } from '../../../src/platform/store/store.ts';

const HOUR_MS = 3_600_000;
const now = Date.parse('2026-03-01T00:00:00Z');

/** Conformance tests of a store of traces. */
export function traceConformance(name: string, open: () => Store): void {
  describe(`Trace store conformance: ${name}`, () => {
    let store: Store;

    beforeEach(() => {
      store = open();
    });

    afterEach(() => store.close());

    const of = (workerId: string, event: WorkerTraceEvent, at = now, endpointId = 'e'): WorkerEventRecord => ({
      ...{ endpointId, workerId, release: 1, at, event },
    });
    const starting: WorkerTraceEvent = { kind: 'starting' };
    const kinds = (endpointId = 'e'): string[] =>
      store.traces.workerEvents(endpointId).map(({ workerId, event }) => `${workerId} ${event.kind}`);
    const chunk = (at: number): JobTraceEvent => ({ kind: 'firstChunk', at, attempt: 1 });
    const addJob = (id: string): void =>
      store.jobs.insert({ ...createJob({}, { id, endpointId: 'e', now }), status: 'COMPLETED' }, { input: {} });

    it('returns the events of the workers of an endpoint in the order in which they were added', () => {
      const events = [
        of('w', { kind: 'waitingForSlot', reason: 'größe' }, now + 5),
        of('v', starting),
        of('w', starting),
      ];
      store.traces.addWorkerEvents([...events, of('o', starting, now, 'other')]);
      assert.deepEqual(store.traces.workerEvents('e'), events);
    });

    it('adds events together or not at all', () => {
      assert.throws(() => store.traces.addWorkerEvents([of('w', starting), of('w', starting, 0.5)]));
      assert.deepEqual(kinds(), []);
    });

    it('drops the oldest events of an endpoint with many', () => {
      store.traces.addWorkerEvents([of('o', starting, now, 'other')]);
      for (let at = 0; at < 1_010; at++) store.traces.addWorkerEvents([of('w', starting, at)]);
      const stored = store.traces.workerEvents('e').map(({ at }) => at);
      assert.deepEqual([stored.length, stored[0], stored.at(-1)], [1_000, 10, 1_009]);
      assert.equal(kinds('other').length, 1);
    });

    it('stops the workers that have not stopped, except those that run on', () => {
      store.traces.addWorkerEvents([
        of('a', starting),
        of('b', starting),
        of('c', starting),
        of('a', { kind: 'stopped' }),
      ]);
      for (let time = 0; time < 2; time++) store.traces.stopWorkers(now + 1, ['b']);
      assert.deepEqual(kinds(), ['a starting', 'b starting', 'c starting', 'a stopped', 'c stopped']);
      store.traces.addWorkerEvents([of('a', { kind: 'created' })]);
      store.traces.stopWorkers(now + 2, ['b']);
      assert.deepEqual(store.traces.workerEvents('e').at(-1), of('a', { kind: 'stopped' }, now + 2));
    });

    it('drops the events of workers that stopped two days ago', () => {
      const stopped: WorkerTraceEvent = { kind: 'stopped' };
      store.traces.addWorkerEvents([
        of('old', starting),
        of('long', starting),
        of('old', stopped),
        of('old', starting),
      ]);
      const dropAll = (at: number): void => {
        while (store.traces.dropOldWorkers(at));
      };
      dropAll(now + 48 * HOUR_MS);
      assert.equal(kinds().length, 4);
      dropAll(now + 48 * HOUR_MS + 1);
      assert.deepEqual(kinds(), ['long starting', 'old starting']);
    });

    it('removes the events of an endpoint in parts', () => {
      store.traces.addWorkerEvents(Array.from({ length: 900 }, () => of('w', starting)));
      store.traces.addWorkerEvents([of('o', starting, now, 'other')]);
      let parts = 0;
      while (store.traces.removeWorkers('e')) parts++;
      assert.ok(parts > 1);
      assert.deepEqual([kinds(), kinds('other').length], [[], 1]);
    });

    it('keeps the last events of a job until the job is deleted', () => {
      addJob('j');
      addJob('k');
      for (let at = 0; at < 60; at++) store.traces.addJobEvent('j', chunk(at));
      store.traces.addJobEvent('k', chunk(1));
      store.traces.addJobEvent('unknown', chunk(1));
      assert.deepEqual(
        store.traces.jobEvents('j'),
        Array.from({ length: 50 }, (_, index) => chunk(10 + index)),
      );
      store.jobs.delete('k');
      addJob('k');
      assert.deepEqual(store.traces.jobEvents('k'), [], 'a new job has no events of a deleted one');
      assert.deepEqual(store.traces.jobEvents('unknown'), []);
    });

    it('removes the events of the jobs of a deleted endpoint', () => {
      addJob('j');
      store.traces.addJobEvent('j', chunk(1));
      store.endpoints.delete('e');
      while (store.jobs.deleteRemoved('e'));
      store.endpoints.forget('e');
      addJob('j');
      assert.deepEqual(store.traces.jobEvents('j'), []);
    });
  });
}
