import assert from 'node:assert/strict';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { costWords } from '../../../../src/account/prices/money.ts';
import { elapsedMs, estimatedCost, presentOf, renderJob, stateOf } from '../../../../src/features/jobs/view/jobRows.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

const job = (change: Partial<StoredJob> = {}): StoredJob => ({
  id: 'j1',
  endpointId: 'e1',
  endpointName: 'hello',
  submittedAt: NOW - 3 * MINUTE,
  status: 'COMPLETED',
  ...change,
});

const row = (change: Partial<StoredJob> = {}, isStopped = false) => renderJob(job(change), { now: NOW, isStopped });

describe('Row of a job', () => {
  it('contains the status, run time, estimated cost, and age of an ended job', () => {
    const { label, description } = row({ executionTime: 1_200, delayTime: 80, pricePerHour: 1.2 });
    assert.equal(label, 'hello');
    assert.equal(description, 'completed · 1.2 s · $0.0004 · 3 min ago');
  });

  it('names the file of the job, or else the first value of its input', () => {
    const file = 'file:///w/greet%20all.job.json';
    assert.equal(row({ file, firstValue: 'world' }).description, 'greet all · completed · 3 min ago');
    assert.equal(row({ firstValue: 'world' }).description, 'world · completed · 3 min ago');
    const sameName = 'file:///w/hello.job.json';
    assert.equal(row({ file: sameName, firstValue: 'world' }).description, 'world · completed · 3 min ago');
    assert.equal(row({ file: sameName }).description, 'completed · 3 min ago');
  });

  it('contains the time in the queue from one second', () => {
    assert.equal(
      row({ executionTime: 500, delayTime: 2_300 }).description,
      'completed · 500 ms · queued 2.3 s · 3 min ago',
    );
    assert.equal(row({ delayTime: 999 }).description, 'completed · 3 min ago');
  });

  it('contains the elapsed time of an unfinished job', () => {
    assert.equal(row({ status: 'IN_QUEUE' }).description, 'in the queue · 3 min 0 s');
    assert.equal(row({ status: 'IN_PROGRESS', delayTime: 2 * MINUTE + 1_000 }).description, 'running · 59 s');
    assert.equal(row({ status: 'IN_PROGRESS' }).description, 'running · 3 min 0 s');
  });

  it('tells that an unfinished job waits for the stopped platform', () => {
    for (const status of ['IN_QUEUE', 'IN_PROGRESS']) {
      const { description, spoken, icon } = row({ status }, true);
      assert.equal(description, 'waits for the platform');
      assert.equal(spoken, 'Job on hello, waits for the platform, submitted 3 min ago');
      assert.equal(icon, 'debug-pause');
    }
    assert.deepEqual(row({}, true), row({}));
    assert.deepEqual(row({ status: 'IN_PROGRESS', gone: true }, true), row({ status: 'IN_PROGRESS', gone: true }));
  });

  it('is that of a stopped platform only without a client of the local one', () => {
    const present = (kind: 'local' | 'hosted', client: unknown) =>
      presentOf({ now: () => NOW }, { profile: { kind, name: 'one' }, client }).isStopped;
    assert.equal(present('local', undefined), true);
    assert.equal(present('local', {}), false);
    assert.equal(present('hosted', undefined), false);
  });

  it('reports a job that the platform no longer has', () => {
    assert.equal(row({ gone: true }).description, 'completed · 3 min ago · result expired');
    assert.equal(row({ status: 'IN_PROGRESS', gone: true }).description, 'no longer on the platform · 3 min ago');
  });

  it('shows a status that this version does not know as an unfinished job', () => {
    assert.equal(row({ status: 'WARMING_UP' }).description, 'warming up · 3 min 0 s');
    assert.equal(row({ status: 'WARMING_UP' }).icon, 'question');
    assert.equal(row({ status: 'constructor' }).icon, 'question');
  });

  it('has an icon and a color for each status', () => {
    const looks = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'].map((status) => {
      const { icon, color } = row({ status });
      return [icon, color];
    });
    assert.deepEqual(looks, [
      ['clock', undefined],
      ['sync~spin', 'testing.iconPassed'],
      ['pass', 'testing.iconPassed'],
      ['error', 'testing.iconFailed'],
      ['circle-slash', undefined],
      ['watch', 'testing.iconFailed'],
    ]);
    assert.equal(row({ gone: true }).color, 'disabledForeground');
  });

  it('is read as a sentence by a screen reader', () => {
    assert.equal(
      row({ executionTime: 1_200, delayTime: 2_000, pricePerHour: 1.2 }).spoken,
      'Job on hello, completed, ran 1.2 s, waited 2.0 s in the queue, estimated cost $0.0004, 3 min ago',
    );
    // A screen reader would repeat a label that changes every second.
    assert.equal(row({ status: 'IN_PROGRESS' }).spoken, 'Job on hello, running, submitted 3 min ago');
  });

  it('has a context value that selects its menu', () => {
    assert.equal(row({ status: 'IN_QUEUE' }).contextValue, 'job.active.request');
    assert.equal(row({ status: 'IN_PROGRESS', workerId: 'w' }).contextValue, 'job.active.request.worker');
    assert.equal(row({ status: 'FAILED', notStored: 'tooLarge' }).contextValue, 'job.failed.request');
    assert.equal(row({ status: 'TIMED_OUT', notStored: 'submittedElsewhere' }).contextValue, 'job.failed');
    assert.equal(row({ status: 'CANCELLED' }).contextValue, 'job.canceled.request');
    assert.equal(row({ status: 'FAILED', gone: true, workerId: 'w' }).contextValue, 'job.gone.request.worker');
  });
});

describe('State of a job', () => {
  it('groups statuses, and counts an unknown one as active', () => {
    const states = ['IN_QUEUE', 'OTHER', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'].map((status) =>
      stateOf(job({ status })),
    );
    assert.deepEqual(states, ['active', 'active', 'completed', 'failed', 'failed', 'canceled']);
  });

  it('is not active for a job that the platform no longer has', () => {
    assert.equal(stateOf(job({ status: 'IN_QUEUE', gone: true })), 'gone');
    assert.equal(stateOf(job({ status: 'FAILED', gone: true })), 'failed');
  });
});

describe('Elapsed time of a job', () => {
  it('is not negative if the clock was set back', () => {
    assert.equal(elapsedMs(job({ status: 'IN_QUEUE', submittedAt: NOW + MINUTE }), NOW), 0);
  });
});

describe('Estimated cost of a job', () => {
  it('is the run time at the price of one worker', () => {
    assert.equal(estimatedCost(job({ executionTime: 1_800_000, pricePerHour: 2 })), 1);
    assert.equal(estimatedCost(job({ executionTime: 1_000 })), undefined);
    assert.equal(estimatedCost(job({ pricePerHour: 2 })), undefined);
  });

  it('is rounded to four digits below one dollar', () => {
    assert.deepEqual([0, 0.00004, 0.0004, 0.01236, 0.99996, 12.345].map(costWords), [
      '$0',
      '<$0.0001',
      '$0.0004',
      '$0.0124',
      '$1.00',
      '$12.35',
    ]);
  });
});
