import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/client/apiError.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Job } from '../../../../src/contract/job.ts';
import { runToEnd } from '../../../../src/features/jobs/actions/submitJob.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { UserError } from '../../../../src/kit/userError.ts';
import { json, startScriptedServer, type Received, type Script } from '../../../client/scriptedServer.ts';
import { eventually } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';
import { submitting } from './world.ts';

interface Waiting {
  readonly result: Promise<Job | undefined>;
  readonly abort: AbortController;
  readonly received: readonly Received[];
  readonly recorded: StoredJob[];
  readonly statuses: string[];
  readonly canceled: () => number;
  disconnect(): void;
}

async function withRun(script: Script, timeout: number, test: (waiting: Waiting) => Promise<void>): Promise<void> {
  await using server = await startScriptedServer(script);
  const time = steppedClock();
  const abort = new AbortController();
  const statuses: string[] = [];
  let canceled = 0;
  const order = {
    endpointId: 'e',
    endpointName: 'hello',
    body: { input: { n: 1 } },
    pricePerHour: 2,
    file: 'file:///j',
  };
  const client = createClient({ connection: server.connection, fetch, clock: time.clock, random: () => 0 });
  const { services, recorded, disconnect, dispose } = submitting(client, time.clock);
  const result = runToEnd(order, services, {
    ...{ kind: 'runSync', limitMs: timeout, signal: abort.signal },
    onState: ({ status }) => void statuses.push(status),
    onCanceling: () => canceled++,
  });
  let done = false;
  const finished = result.then(
    () => (done = true),
    () => (done = true),
  );
  const passing = eventually('the run ends', () => {
    time.advance(1_000);
    return done;
  });
  await test({ result, abort, received: server.received, recorded, statuses, canceled: () => canceled, disconnect });
  await Promise.all([finished, passing]);
  dispose();
}

const ofSync =
  (first: object, ...then: object[]): Script =>
  ({ path }, response) =>
    json(response, 200, path.includes('/runsync') ? first : then.length > 1 ? then.shift() : then[0]);

describe('Submitting a job and waiting for it', () => {
  it('returns a result that arrives in time, and records it with its file and price', async () => {
    const script = ofSync({ id: 'j', status: 'COMPLETED', output: 1 });
    await withRun(script, 60_000, async ({ result, recorded, received }) => {
      assert.equal((await result)?.output, 1);
      assert.match(received[0]?.path ?? '', /\/e\/runsync\?wait=2000$/);
      assert.deepEqual([recorded.length, recorded[0]?.file, recorded[0]?.pricePerHour], [1, 'file:///j', 2]);
    });
  });

  it('follows a longer job to its end', async () => {
    const script = ofSync(
      { id: 'j', status: 'IN_PROGRESS' },
      { id: 'j', status: 'IN_PROGRESS', workerId: 'w' },
      { id: 'j', status: 'COMPLETED', workerId: 'w' },
    );
    await withRun(script, 600_000, async ({ result, recorded, statuses }) => {
      assert.equal((await result)?.status, 'COMPLETED');
      assert.deepEqual([...new Set(statuses)], ['IN_PROGRESS', 'COMPLETED']);
      assert.equal(recorded.at(-1)?.status, 'COMPLETED');
    });
  });

  it('returns the unfinished job after the timeout of the endpoint', async () => {
    const script = ofSync({ id: 'j', status: 'IN_QUEUE' }, { id: 'j', status: 'IN_PROGRESS' });
    await withRun(script, 20_000, async ({ result }) => {
      assert.equal((await result)?.status, 'IN_PROGRESS');
    });
  });

  it('cancels the job on the platform, also if the cancellation precedes its ID', async () => {
    let abort: AbortController | undefined;
    let isCanceled = false;
    const script: Script = async ({ path }, response) => {
      if (path.includes('/runsync')) {
        await eventually('the test has the controller', () => abort);
        abort?.abort();
      }
      isCanceled ||= path.includes('/cancel/');
      json(response, 200, { id: 'j', status: isCanceled ? 'CANCELLED' : 'IN_QUEUE' });
    };
    await withRun(script, 60_000, async (run) => {
      abort = run.abort;
      assert.equal((await run.result)?.status, 'CANCELLED');
      assert.equal(run.canceled(), 1);
      assert.equal(run.recorded.at(-1)?.status, 'CANCELLED');
    });
  });

  it('fails with the reason of the platform if the job is not accepted', async () => {
    await withRun(
      (_, response) => json(response, 400, { error: 'bad input' }),
      60_000,
      async ({ result, recorded }) => {
        await assert.rejects(result, (error) => error instanceof ApiError && error.kind === 'validation');
        assert.deepEqual(recorded, []);
      },
    );
  });

  it('does not submit the job again if the response is cut, and says that it may run', async () => {
    const script: Script = (_, response) => void response.writeHead(200, { 'Content-Length': '9' }).end('{');
    await withRun(script, 60_000, async ({ result, received }) => {
      await assert.rejects(result, UserError);
      assert.equal(received.length, 1);
    });
  });

  it('returns nothing if the platform was disconnected after it accepted the job', async () => {
    let run: Waiting | undefined;
    const script: Script = async ({ path }, response) => {
      if (path.includes('/runsync')) json(response, 200, { id: 'j', status: 'IN_QUEUE' });
      else {
        await eventually('the test has the run', () => run);
        run?.disconnect();
        response.destroy();
      }
    };
    await withRun(script, 600_000, async (waiting) => {
      run = waiting;
      assert.equal(await waiting.result, undefined);
      assert.equal(waiting.recorded.length, 1);
    });
  });
});
