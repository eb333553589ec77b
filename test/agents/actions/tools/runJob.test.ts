import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import type { ToolJobs } from '../../../../src/agents/actions/agentTool.ts';
import { json } from '../../../client/scriptedServer.ts';
import { scriptedTools } from '../../scriptedTools.ts';

describe('A call that waits for a job', () => {
  const job = { id: 'j', status: 'IN_PROGRESS' } as const;

  /** Starts tools on a platform whose jobs run, and records how long calls wait for them. Each wait has this end. */
  async function waiting(end: () => Promise<undefined>) {
    const tools = await scriptedTools({}, (_, response) => json(response, 200, job));
    const limits: (number | undefined)[] = [];
    const current = tools.context.connection();
    const follower: ToolJobs['follower'] = {
      seen: (...seen) => current.jobs.follower.seen(...seen),
      wait: (_connection, _job, _state, { limitMs, onState }) => {
        limits.push(limitMs);
        onState?.(job);
        return end();
      },
    };
    const connection = () => ({ ...current, jobs: { ...current.jobs, follower } });
    return { ...tools, limits, connection };
  }

  it('waits as long as the call says, and not at all without a time', async () => {
    await using tools = await waiting(() => Promise.resolve(undefined));
    const { connection, limits } = tools;
    const read = async (input: object) => {
      const { status } = await tools.call('read_job', { endpoint: 'e', job: 'j', ...input }, { connection });
      assert.equal(status, 'IN_PROGRESS');
    };
    await read({});
    await read({ waitSeconds: 0 });
    assert.deepEqual(limits, []);
    await read({ waitSeconds: 2 });
    assert.deepEqual(limits, [2_000]);
  });

  it('fails with the ID of the job if its state cannot be read', async () => {
    const unreadable = new ApiError('server', 'broken', { operation: 'getJobStatus', status: 500 });
    for (const end of [() => Promise.resolve(undefined), () => Promise.reject(unreadable)]) {
      await using tools = await waiting(end);
      const { error } = await tools.call('run_job', { endpoint: 'e', input: {} }, { connection: tools.connection });
      assert.deepEqual([error?.code, error?.jobId], ['network', 'j']);
    }
  });
});

describe('The result of a job that failed', () => {
  it('has its log, unless the log is empty', async () => {
    const job = { id: 'j', status: 'FAILED', error: 'wrong', workerId: 'w' };
    for (const [lines, count] of [
      [[], undefined],
      [['j is wrong'], 1],
    ] as const) {
      await using tools = await scriptedTools({}, ({ path }, response) => {
        if (!path.includes('/w/')) {
          json(response, 200, job);
          return;
        }
        const ts = new Date().toISOString();
        const events = lines.map((line) => `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line, ts })}\n\n`);
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`: open\n\n${events.join('')}`);
      });
      const { status, log } = await tools.call('run_job', { endpoint: 'e', input: {} });
      assert.deepEqual([status, (log as readonly string[] | undefined)?.length], ['FAILED', count]);
    }
  });
});
