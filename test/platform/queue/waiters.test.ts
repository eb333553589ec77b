import assert from 'node:assert/strict';
import { createJob, type JobRecord } from '../../../src/platform/domain/job.ts';
import { JobWaits } from '../../../src/platform/queue/jobWaits.ts';
import { Waiters } from '../../../src/platform/queue/waiters.ts';

const timers = new Set<() => void>();
const clock = {
  now: () => 0,
  after: (_: number, callback: () => void) => {
    timers.add(callback);
    return () => timers.delete(callback);
  },
};

describe('Waiters', () => {
  for (const [what, end, expected] of [
    ['a value', (waiters: Waiters<string>) => waiters.give('value'), 'value'],
    ['the end of all waits', (waiters: Waiters<string>) => waiters.release(), undefined],
    ['an abort', (_: Waiters<string>, abort: () => void) => abort(), undefined],
    ['its time limit', () => timers.forEach((callback) => callback()), undefined],
  ] as const)
    it(`keep no call and no timer after ${what}`, async () => {
      timers.clear();
      const waiters = new Waiters<string>(clock);
      const caller = new AbortController();
      const waiting = waiters.wait(1_000, caller.signal);
      assert.deepEqual([waiters.size, timers.size], [1, 1]);
      end(waiters, () => caller.abort());
      assert.equal(await waiting, expected);
      assert.deepEqual([waiters.size, timers.size], [0, 0]);
    });
});

describe('Waits for jobs', () => {
  const job = createJob({}, { id: 'j', endpointId: 'e', now: 0 });
  const ended: JobRecord = { ...job, status: 'CANCELLED' };

  for (const [what, end, expected] of [
    ['the end of the job', (waits: JobWaits) => waits.notify(ended), ended],
    ['the end of all waits', (waits: JobWaits) => waits.close(), job],
    ['an abort', (_: JobWaits, abort: () => void) => abort(), job],
    ['its time limit', () => timers.forEach((callback) => callback()), job],
  ] as const)
    it(`keep no caller and no timer after ${what}`, async () => {
      timers.clear();
      const waits = new JobWaits(clock, () => job);
      const caller = new AbortController();
      const waiting = waits.wait(job, { waitMs: 1_000, signal: caller.signal });
      assert.deepEqual([waits.idsOf('e'), waits.has('j'), timers.size], [['j'], true, 1]);
      end(waits, () => caller.abort());
      assert.equal(await waiting, expected);
      assert.deepEqual([waits.idsOf('e'), waits.has('j'), timers.size], [[], false, 0]);
    });
});
