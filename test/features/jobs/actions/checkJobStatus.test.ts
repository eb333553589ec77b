import assert from 'node:assert/strict';
import { checkJobStatus, jobIdProblem } from '../../../../src/features/jobs/actions/readJob.ts';
import { answering, CONNECTION, stored, withJobs } from './world.ts';

describe('Checking the status of a job', () => {
  const endpoint = { endpointId: 'e', endpointName: 'hello' };

  it('adds a job that was submitted elsewhere, without a request', async () => {
    await withJobs([], answering({ 1: 'IN_PROGRESS' }), async (world) => {
      const job = await checkJobStatus({ ...endpoint, jobId: '1' }, world);
      assert.equal(job.id, '1');
      assert.deepEqual(
        world.history.find(CONNECTION, '1'),
        stored('1', { submittedAt: 9_000, status: 'IN_PROGRESS', notStored: 'submittedElsewhere' }),
      );
      assert.deepEqual(world.tracked, ['1']);
    });
  });

  it('keeps what is known about a job of the list', async () => {
    const known = stored('1', { workerId: 'w', pricePerHour: 2 });
    await withJobs([known], answering({ 1: 'COMPLETED' }), async (world) => {
      await checkJobStatus({ ...endpoint, jobId: '1' }, world);
      assert.deepEqual(world.history.recent(CONNECTION), [{ ...known, status: 'COMPLETED' }]);
    });
  });

  it('does not add a job that the platform does not have', async () => {
    await withJobs([], answering({}), async (world) => {
      await assert.rejects(checkJobStatus({ ...endpoint, jobId: '1' }, world), { kind: 'notFound' });
      assert.deepEqual(world.statuses(), []);
    });
  });
});

describe('Typed job ID', () => {
  it('is one word without a slash', () => {
    assert.equal(jobIdProblem(' 0b9f-u1 '), undefined);
    assert.equal(jobIdProblem('  '), 'Enter the ID of a job');
    assert.match(jobIdProblem('endpoint/status/0b9f') ?? '', /without a slash/);
    assert.match(jobIdProblem('0b 9f') ?? '', /cannot contain spaces/);
    assert.match(jobIdProblem('..') ?? '', /not the ID/);
  });
});
