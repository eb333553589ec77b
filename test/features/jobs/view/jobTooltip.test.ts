import assert from 'node:assert/strict';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { explainStatus, jobTooltip } from '../../../../src/features/jobs/view/jobTooltip.ts';

const job: StoredJob = {
  id: 'job-1',
  endpointId: 'e1',
  endpointName: '[hello](command:evil)',
  submittedAt: 1_000,
  status: 'COMPLETED',
  delayTime: 80,
  executionTime: 1_200,
  workerId: 'w1',
  pricePerHour: 1.2,
};
const node = { kind: 'job', connectionId: 'local', jobId: 'job-1' } as const;
const at = (now: number, isStopped = false) => ({ now, isStopped });
const source = (change: Partial<StoredJob> = {}) => jobTooltip({ ...job, ...change }, node, at(61_000)).source;

describe('Tooltip of a job', () => {
  it('contains the IDs, the times, and the cost, which it calls estimated', () => {
    const text = source();
    for (const part of ['`job-1`', '`e1`', '`w1`', '80 ms', '1\\.2 s', '\\$0\\.0004\\, estimated', '\\$1\\.20\\/h'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.ok(!text.includes('](command:evil)'));
  });

  it('names the price that the cost is based on', () => {
    const text = (change: Partial<StoredJob>) => source(change).replaceAll('\\', '');
    assert.match(text({}), /run time at up to \$1\.20\/h for one worker, without starts and idle time/);
    assert.match(text({ isWorkerPrice: true }), /run time at \$1\.20\/h of its worker/);
  });

  it('contains the cost so far of a running job', () => {
    const { executionTime: _, ...running } = job;
    const text = jobTooltip({ ...running, status: 'IN_PROGRESS', delayTime: 0 }, node, at(1_000 + 3_600_000)).source;
    assert.match(text.replaceAll('\\', ''), /Cost so far \| \$1\.20, estimated/);
    assert.doesNotMatch(jobTooltip({ ...running, status: 'IN_QUEUE' }, node, at(61_000)).source, /Cost/);
  });

  it('contains the time since the submission of an unfinished job', () => {
    const { delayTime, executionTime, ...waiting } = job;
    const text = jobTooltip({ ...waiting, status: 'IN_QUEUE' }, node, at(61_000)).source;
    assert.match(text, /Time in the queue \| 1 min 0 s/);
    assert.match(text, /jobs\.cancel/);
  });

  it('tells that an unfinished job waits for the stopped platform, without times and costs', () => {
    const { delayTime, executionTime, ...running } = job;
    const text = jobTooltip({ ...running, status: 'IN_PROGRESS' }, node, at(61_000, true)).source;
    assert.match(text, /The local platform is not running/);
    assert.match(text, /Status \| waits for the platform/);
    assert.doesNotMatch(text, /Run time|Time in the queue|Cost/);
  });

  it('does not offer to run a job again that was submitted elsewhere', () => {
    assert.match(source(), /jobs\.runAgain/);
    assert.doesNotMatch(source({ notStored: 'submittedElsewhere' }), /jobs\.runAgain/);
    assert.match(source({ notStored: 'submittedElsewhere' }), /Added/);
  });

  it('explains each status', () => {
    assert.equal(explainStatus({ status: 'IN_QUEUE' }), 'The job waits for a worker.');
    assert.match(explainStatus({ status: 'COMPLETED', gone: true }), /no longer has the result/);
    assert.match(explainStatus({ status: 'constructor' }), /does not know/);
  });
});
