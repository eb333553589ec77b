import assert from 'node:assert/strict';
import { purgeQueue, readQueue } from '../../../../src/features/jobs/actions/changeJobs.ts';
import { json, type Script } from '../../../client/scriptedServer.ts';
import { stored, withJobs } from './world.ts';

const script: Script = ({ path }, response) => {
  if (path.endsWith('/health'))
    json(response, 200, {
      jobs: { completed: 0, failed: 0, inProgress: 2, inQueue: 12, retried: 0 },
      workers: { idle: 0, running: 0 },
    });
  else if (path.endsWith('/purge-queue')) json(response, 200, { removed: 11, status: 'completed' });
  else json(response, 200, { id: path.split('/').at(-1), status: 'CANCELLED' });
};

describe('Purging a queue', () => {
  it('is preceded by the numbers of waiting and running jobs', async () => {
    await withJobs([], script, async ({ client }) => {
      assert.deepEqual(await readQueue(client, 'e'), { waiting: 12, running: 2 });
    });
  });

  it('returns the number of removed jobs, and reads the jobs of the endpoint that waited', async () => {
    const jobs = [
      stored('waiting'),
      stored('running', { status: 'IN_PROGRESS' }),
      stored('elsewhere', { endpointId: 'other' }),
      stored('ended', { status: 'COMPLETED' }),
    ];
    await withJobs(jobs, script, async (world) => {
      assert.equal(await purgeQueue('e', world), 11);
      assert.deepEqual(world.calls(), ['POST /e/purge-queue', 'GET /e/status/waiting']);
      assert.deepEqual(world.statuses(), [
        'waiting CANCELLED',
        'running IN_PROGRESS',
        'elsewhere IN_QUEUE',
        'ended COMPLETED',
      ]);
    });
  });
});
