import assert from 'node:assert/strict';
import { readJob, rereadJobs, checkJobStatus, jobIdProblem } from '../../../../src/features/jobs/actions/readJob.ts';
import { answering, stored, withJobs, CONNECTION } from './world.ts';

describe('Reading a job', () => {
  it('records its current state', async () => {
    await withJobs([stored('1')], answering({ 1: 'COMPLETED' }), async (world) => {
      assert.equal((await readJob(stored('1'), world)).status, 'COMPLETED');
      assert.deepEqual(world.statuses(), ['1 COMPLETED']);
      assert.deepEqual(world.tracked, []);
    });
  });

  it('follows a job that has not ended', async () => {
    await withJobs([stored('1')], answering({ 1: 'IN_PROGRESS' }), async (world) => {
      await readJob(stored('1'), world);
      assert.deepEqual(world.tracked, ['1']);
    });
  });

  it('marks a job that the platform no longer has, until the platform has it again', async () => {
    await withJobs([stored('1')], answering({}), async (world) => {
      await assert.rejects(readJob(stored('1'), world), { kind: 'notFound' });
      assert.deepEqual(world.statuses(), ['1 gone']);
    });
    await withJobs([stored('1', { gone: true })], answering({ 1: 'COMPLETED' }), async (world) => {
      await readJob(stored('1', { gone: true }), world);
      assert.deepEqual(world.statuses(), ['1 COMPLETED']);
    });
  });

  it('keeps the entry of a job that cannot be read', async () => {
    await withJobs([stored('1')], answering({ 1: 403 }), async (world) => {
      await assert.rejects(readJob(stored('1'), world), { kind: 'forbidden' });
      assert.deepEqual(world.statuses(), ['1 IN_QUEUE']);
    });
  });

  it('does not add a job again that was removed from the list in the meantime', async () => {
    await withJobs([], answering({}), async (world) => {
      await assert.rejects(readJob(stored('1'), world), { kind: 'notFound' });
      assert.deepEqual(world.statuses(), []);
    });
  });
});

describe('Reading several jobs', () => {
  it('reads each of them, and returns the failures without those that no longer exist', async () => {
    const jobs = ['1', '2', '3'].map((id) => stored(id));
    await withJobs(jobs, answering({ 1: 'COMPLETED', 3: 403 }), async (world) => {
      const failures = await rereadJobs(jobs, world);
      assert.deepEqual(
        failures.map(({ job, error }) => [job.id, error.kind]),
        [['3', 'forbidden']],
      );
      assert.deepEqual(world.statuses(), ['1 COMPLETED', '2 gone', '3 IN_QUEUE']);
    });
  });
});

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
