import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import type { Clock } from '../../src/client/clock.ts';
import type { Job } from '../../src/contract/job.ts';
import { followToEnd, type FollowOptions } from '../../src/client/followToEnd.ts';
import { json, startScriptedServer, type Script } from './scriptedServer.ts';

/** Creates a clock that ends short sleeps. Longer sleeps, such as time limits of requests, never end. */
const clock: Clock = {
  now: () => 0,
  sleep: (ms, signal) =>
    ms > 15_000
      ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
      : signal?.aborted
        ? Promise.reject(signal.reason as Error)
        : Promise.resolve(),
};

interface Followed {
  readonly job: Promise<Job>;
  readonly canceling: () => boolean;
}

async function following(
  script: Script,
  change: Partial<FollowOptions>,
  test: (followed: Followed, received: readonly { method: string; path: string }[]) => Promise<void>,
): Promise<void> {
  await using server = await startScriptedServer(script);
  let canceling = false;
  const job = followToEnd({
    client: createClient({ connection: server.connection, fetch, clock }),
    address: { endpointId: 'e', jobId: 'j' },
    signal: new AbortController().signal,
    mayRecover: () => true,
    onJob: () => undefined,
    onCanceling: () => (canceling = true),
    ...change,
  });
  await test({ job, canceling: () => canceling }, server.received);
}

describe('following a job to its end', () => {
  it('continues after temporary failures of the platform', async () => {
    const answers = [
      [200, { id: 'j', status: 'IN_QUEUE' }],
      [500, { error: 'restarting' }],
      [429, { error: 'slow down' }],
      [200, { id: 'j', status: 'COMPLETED', output: 1 }],
    ] as const;
    let next = 0;
    const script: Script = (_, response) => {
      const [status, body] = answers[next++] ?? [404, {}];
      json(response, status, body);
    };
    await following(script, {}, async ({ job }) => {
      assert.equal((await job).status, 'COMPLETED');
    });
  });

  it('fails if the platform does not recover, or is known to have stopped', async () => {
    const script: Script = (_, response) => json(response, 500, { error: 'down' });
    await following(script, {}, async ({ job }, received) => {
      await assert.rejects(job, { kind: 'server' });
      assert.equal(received.length, 5);
    });
    await following(script, { mayRecover: () => false }, async ({ job }, received) => {
      await assert.rejects(job, { kind: 'server' });
      assert.equal(received.length, 1);
    });
  });

  it('fails immediately for an unknown job', async () => {
    await following(
      (_, response) => json(response, 404, { error: 'job not found' }),
      {},
      async ({ job }, received) => {
        await assert.rejects(job, { kind: 'notFound' });
        assert.equal(received.length, 1);
      },
    );
  });

  it('cancels the job on the platform', async () => {
    const abort = new AbortController();
    let canceled = false;
    const script: Script = ({ method }, response) => {
      canceled ||= method === 'POST';
      json(response, 200, { id: 'j', status: canceled ? 'CANCELLED' : 'IN_PROGRESS' });
    };
    await following(script, { signal: abort.signal, onJob: () => abort.abort() }, async (followed, received) => {
      assert.equal((await followed.job).status, 'CANCELLED');
      assert.equal(followed.canceling(), true);
      assert.ok(received.some(({ method, path }) => method === 'POST' && path === '/queue/v2/e/cancel/j'));
    });
  });

  it('returns the terminal state of a job that ended before its cancellation', async () => {
    const abort = new AbortController();
    const script: Script = ({ method }, response) => {
      if (method === 'POST') json(response, 400, { error: 'the job has ended' });
      else json(response, 200, { id: 'j', status: abort.signal.aborted ? 'COMPLETED' : 'IN_PROGRESS' });
    };
    await following(script, { signal: abort.signal, onJob: () => abort.abort() }, async ({ job }) => {
      assert.equal((await job).status, 'COMPLETED');
    });
  });
});
