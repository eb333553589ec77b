import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { Clock } from '../../../../src/client/clock.ts';
import type { Job } from '../../../../src/contract/job.ts';
import { retryJob } from '../../../../src/features/jobs/actions/changeJobs.ts';
import { runToEnd, submitJob } from '../../../../src/features/jobs/actions/submitJob.ts';
import { withState, type StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import type { RunKind } from '../../../../src/features/jobs/model/jobInput.ts';
import { linesOfJob } from '../../../../src/features/jobs/actions/readJobLog.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { CONNECTION, stored, submitting, withJobs } from './world.ts';

const START = Date.parse('2026-01-01T10:00:00.000Z');
const RESPONSE_MS = 3_000;
/** Maximum wait of the client between two attempts, in ms. Longer timers are time limits. */
const LONGEST_WAIT_MS = 10_000;
const ended: Job = { id: 'j', status: 'COMPLETED', delayTime: 100, executionTime: 400, workerId: 'w' };
const order = { endpointId: 'e', endpointName: 'hello', body: { input: {} } };

/** A clock that advances only on request, and by each wait of the client. Its time limits never expire. */
function requestedClock() {
  const clock = {
    time: START,
    now: () => clock.time,
    sleep: (ms: number) => {
      if (ms > LONGEST_WAIT_MS) return new Promise<void>(() => undefined);
      clock.time += ms;
      return Promise.resolve();
    },
  };
  return clock satisfies Clock & { time: number };
}

type Submit = (client: Client, clock: Clock) => Promise<StoredJob | undefined>;

/** Resolves with the last job that a run records. */
function recordedBy(kind: RunKind): Submit {
  return async (client, clock) => {
    const { services, recorded, dispose } = submitting(client, clock);
    await runToEnd(order, services, { kind, limitMs: 10_000, signal: new AbortController().signal });
    dispose();
    return recorded.at(-1);
  };
}

/** Each way to submit a job. Resolves with the stored job. */
const submissions: Record<string, Submit> = {
  'is followed': recordedBy('run'),
  'is waited for': recordedBy('runSync'),
  'is submitted again': (client, clock) =>
    withJobs(
      [],
      () => undefined,
      async (world) => (await submitJob(order, { ...world, client, clock })).stored,
    ),
  'is retried': (client, clock) => {
    const failed = stored('j', { status: 'FAILED' });
    return withJobs(
      [failed],
      () => undefined,
      async (world) => {
        await retryJob(failed, { ...world, client, clock });
        return world.history.find(CONNECTION, 'j');
      },
    );
  },
};

describe('The log lines of a job whose response arrives late', () => {
  for (const [how, submit] of Object.entries(submissions)) {
    it(`include all lines if the job ${how}, also after a refused attempt`, async () => {
      const clock = requestedClock();
      let accepted: number | undefined;
      let refused = false;
      const script: Script = (_, response) => {
        if (!refused) {
          refused = true;
          response.setHeader('Retry-After', '10');
          json(response, 429, { error: 'too many requests' });
          return;
        }
        // The platform accepts the job at once, and responds later.
        if (accepted === undefined) {
          accepted = clock.time;
          clock.time += RESPONSE_MS;
        }
        json(response, 200, ended);
      };
      await using server = await startScriptedServer(script);
      const client = createClient({ connection: server.connection, fetch, clock, random: () => 0 });
      const submitted = await submit(client, clock);
      assert.ok(submitted && accepted !== undefined);
      const taken = accepted + 100;
      const at = (ms: number, line: string) => ({ source: 'container' as const, line, ts: new Date(ms).toISOString() });
      const events = [at(taken - 10_000, 'loading'), at(taken, 'first'), at(taken + 400, 'last')];
      const job = withState(submitted, ended, clock.time);
      const { lines } = linesOfJob([...events, at(clock.time + 10_000, 'next job')], job, clock.time);
      assert.deepEqual(
        lines.map(({ line }) => line),
        ['first', 'last'],
      );
    });
  }
});
