import assert from 'node:assert/strict';
import { readJob, rereadJobs } from '../../../../src/features/jobs/actions/readJob.ts';
import { answering, stored, withJobs } from './world.ts';

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
