import assert from 'node:assert/strict';
import { createClient } from '../../../../src/client/client.ts';
import type { Clock } from '../../../../src/client/clock.ts';
import type { Job } from '../../../../src/contract/job.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { runToEnd } from '../../../../src/features/jobs/actions/submitJob.ts';
import { UserError } from '../../../../src/kit/userError.ts';
import { json, startScriptedServer, type Received, type Script } from '../../../client/scriptedServer.ts';
import { submitting } from './world.ts';

const TICK_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Creates a clock that a test advances by a second. Pauses end immediately. Timeouts of requests never expire. */
function tickingClock() {
  let now = 5_000;
  let tick: (() => void) | undefined;
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (signal?.aborted) reject(signal.reason as Error);
        else if (ms === TICK_MS) tick = resolve;
        else if (ms <= MAX_PAUSE_MS) resolve();
      }),
  };
  const pass = () => {
    now += TICK_MS;
    tick?.();
  };
  return { clock, pass };
}

interface Seen {
  readonly statuses: string[];
  /** Status and elapsed time, in ms, of each report of an unfinished job. */
  readonly waiting: (readonly [string, number])[];
  readonly recorded: StoredJob[];
  canceling: number;
}

interface Submission {
  readonly result: Promise<Job | undefined>;
  readonly seen: Seen;
  readonly received: readonly Received[];
}

async function withSubmission(
  script: (disconnect: () => void) => Script,
  { signal = new AbortController().signal, clock = tickingClock().clock }: { signal?: AbortSignal; clock?: Clock },
  test: (submission: Submission) => Promise<void>,
): Promise<void> {
  let disconnect = () => undefined as void;
  await using server = await startScriptedServer(script(() => disconnect()));
  const world = submitting(createClient({ connection: server.connection, fetch, clock }), clock);
  ({ disconnect } = world);
  const seen: Seen = { statuses: [], waiting: [], recorded: world.recorded, canceling: 0 };
  const order = { endpointId: 'e', endpointName: 'hello', body: { input: { n: 1 } } };
  const result = runToEnd(order, world.services, {
    ...{ kind: 'run', signal },
    onState: ({ status }) => void seen.statuses.push(status),
    onWaiting: ({ status }, elapsedMs) => void seen.waiting.push([status, elapsedMs]),
    onCanceling: () => seen.canceling++,
  });
  try {
    await test({ result, seen, received: server.received });
  } finally {
    world.dispose();
  }
}

/** Accepts a job, then answers each status request with the next of these responses. */
function answering(...answers: readonly object[]): Script {
  const left = [...answers];
  return ({ path }, response) =>
    json(response, 200, path.endsWith('/run') ? { id: 'j', status: 'IN_QUEUE' } : left.shift());
}

describe('Running a job to its end', () => {
  it('resolves with the final job and records each status once', async () => {
    const script = answering(
      { id: 'j', status: 'IN_QUEUE' },
      { id: 'j', status: 'IN_PROGRESS', workerId: 'w' },
      { id: 'j', status: 'IN_PROGRESS', workerId: 'w', output: '50 %' },
      { id: 'j', status: 'COMPLETED', workerId: 'w', executionTime: 9, output: { done: true } },
    );
    await withSubmission(
      () => script,
      {},
      async ({ result, seen, received }) => {
        assert.deepEqual((await result)?.output, { done: true });
        assert.deepEqual(JSON.parse(received[0]?.body ?? ''), { input: { n: 1 } });
        assert.deepEqual([...new Set(seen.statuses)], ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
        const base = {
          id: 'j',
          endpointId: 'e',
          endpointName: 'hello',
          firstValue: '1',
          submittedAt: 5_000,
          answeredAt: 5_000,
        };
        assert.deepEqual(seen.recorded, [
          { ...base, status: 'IN_QUEUE' },
          { ...base, status: 'IN_PROGRESS', workerId: 'w' },
          { ...base, status: 'COMPLETED', workerId: 'w', executionTime: 9, endedAt: 5_000 },
        ]);
        assert.ok(seen.waiting.every(([status]) => status !== 'COMPLETED'));
      },
    );
  });

  it('reports an unfinished job each second', async () => {
    const { clock, pass } = tickingClock();
    const script: Script = ({ path }, response) => {
      // A second passes during each status request.
      if (!path.endsWith('/run')) pass();
      json(response, 200, { id: 'j', status: path.endsWith('/run') ? 'IN_QUEUE' : next() });
    };
    const statuses = ['IN_QUEUE', 'IN_QUEUE', 'COMPLETED'];
    const next = () => statuses.shift();
    await withSubmission(
      () => script,
      { clock },
      async ({ result, seen }) => {
        await result;
        const elapsed = seen.waiting.map(([, ms]) => ms);
        assert.equal(elapsed[0], 0);
        assert.deepEqual([...new Set(elapsed)], [0, 1_000, 2_000, 3_000]);
      },
    );
  });

  it('sends no status request for a job that ended on submission', async () => {
    const script: Script = (_, response) => json(response, 200, { id: 'j', status: 'COMPLETED' });
    await withSubmission(
      () => script,
      {},
      async ({ result, seen, received }) => {
        assert.equal((await result)?.status, 'COMPLETED');
        assert.deepEqual([received.length, seen.recorded.length, seen.waiting.length], [1, 1, 0]);
      },
    );
  });

  it('cancels the job on the platform if the signal is aborted, even during the submission', async () => {
    const abort = new AbortController();
    let canceled = false;
    const script: Script = ({ path }, response) => {
      if (path.endsWith('/run')) abort.abort();
      canceled ||= path.includes('/cancel/');
      json(response, 200, { id: 'j', status: canceled ? 'CANCELLED' : 'IN_QUEUE' });
    };
    await withSubmission(
      () => script,
      { signal: abort.signal },
      async ({ result, seen }) => {
        assert.equal((await result)?.status, 'CANCELLED');
        assert.equal(canceled, true);
        assert.equal(seen.canceling, 1);
        assert.equal(seen.recorded.at(-1)?.status, 'CANCELLED');
      },
    );
  });

  const failing: Script = ({ path }, response) =>
    path.endsWith('/run')
      ? json(response, 200, { id: 'j', status: 'IN_QUEUE' })
      : json(response, 500, { error: 'down' });

  const disconnecting =
    (disconnect: () => void): Script =>
    (request, response) => {
      if (!request.path.endsWith('/run')) disconnect();
      return failing(request, response);
    };

  it('resolves with undefined if the platform was disconnected or stopped', async () => {
    await withSubmission(disconnecting, {}, async ({ result, seen, received }) => {
      assert.equal(await result, undefined);
      assert.equal(received.length, 2, 'no request to a platform that is disconnected');
      assert.deepEqual(
        seen.recorded.map(({ status }) => status),
        ['IN_QUEUE'],
      );
    });
  });

  it('rejects with a remedy if the state of an accepted job can no longer be read', async () => {
    await withSubmission(
      () => failing,
      {},
      async ({ result }) => {
        await assert.rejects(result, (error) => {
          assert.ok(error instanceof UserError);
          assert.equal(error.remedy?.command, 'cloudCompute.jobs.openRecent');
          return true;
        });
      },
    );
  });

  it('does not record a job that was not accepted', async () => {
    const script: Script = (_, response) => json(response, 400, { error: 'no input' });
    await withSubmission(
      () => script,
      {},
      async ({ result, seen, received }) => {
        await assert.rejects(result, { kind: 'validation' });
        assert.deepEqual([received.length, seen.recorded.length, seen.statuses.length], [1, 0, 0]);
      },
    );
  });
});
