import assert from 'node:assert/strict';
import type { StoredJob } from '../../../../src/features/jobs/jobHistoryStore.ts';
import { withPresentStatus } from '../../../../src/features/jobs/actions/readRecentJobs.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';

const stored = (id: string, status: string): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1,
  status,
});

async function reading(
  script: Script,
  test: (
    options: Parameters<typeof withPresentStatus>[1],
    seen: { readonly recorded: readonly StoredJob[]; readonly asked: () => string[] },
  ) => Promise<void>,
): Promise<void> {
  await using server = await startScriptedServer(script);
  const recorded: StoredJob[] = [];
  const record = (job: StoredJob) => Promise.resolve(void recorded.push(job));
  const asked = () => server.received.map(({ path }) => path.split('/').at(-1) ?? '').sort();
  await test({ client: server.client, record }, { recorded, asked });
}

const completed: Script = ({ path }, response) =>
  json(response, 200, { id: path.split('/').at(-1), status: 'COMPLETED' });

describe('List of recent jobs', () => {
  it('reads at most five unfinished jobs, and records those that changed', async () => {
    const jobs = [stored('done', 'FAILED'), ...['1', '2', '3', '4', '5', '6'].map((id) => stored(id, 'IN_PROGRESS'))];
    await reading(completed, async (options, { recorded, asked }) => {
      const current = await withPresentStatus(jobs, options);
      assert.deepEqual(asked(), ['1', '2', '3', '4', '5']);
      assert.deepEqual(
        current.map(({ id, status }) => `${id} ${status}`),
        ['done FAILED', ...['1', '2', '3', '4', '5'].map((id) => `${id} COMPLETED`), '6 IN_PROGRESS'],
      );
      assert.equal(recorded.length, 5);
    });
  });

  it('contains the stored job if it cannot be read', async () => {
    const gone: Script = (_, response) => json(response, 404, { error: 'job not found' });
    await reading(gone, async (options, { recorded }) => {
      const jobs = [stored('j', 'IN_QUEUE')];
      assert.deepEqual([await withPresentStatus(jobs, options), recorded], [jobs, []]);
    });
  });
});
