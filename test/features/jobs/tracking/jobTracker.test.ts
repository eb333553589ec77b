import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { Job } from '../../../../src/contract/job.ts';
import { JobHistoryStore } from '../../../../src/features/jobs/jobHistoryStore.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import type { EndedJobs } from '../../../../src/features/jobs/tracking/endedJobs.ts';
import { JobTracker } from '../../../../src/features/jobs/tracking/jobTracker.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { eventually } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';
import { memento } from '../memento.ts';

const MINUTE_MS = 60_000;

const stored = (id: string, change: Partial<StoredJob> = {}): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1,
  status: 'IN_QUEUE',
  ...change,
});

/** Runs a tracker against a scripted platform. The connection `c` is available unless the test takes its client away. */
async function withTracker(
  jobs: readonly StoredJob[],
  script: Script,
  test: (world: Awaited<ReturnType<typeof worldOf>>) => Promise<void>,
) {
  await using server = await startScriptedServer(script);
  const world = await worldOf(jobs, server);
  try {
    await test(world);
  } finally {
    world.tracker.dispose();
  }
}

async function worldOf(jobs: readonly StoredJob[], server: Awaited<ReturnType<typeof startScriptedServer>>) {
  const time = steppedClock();
  const storage = memento();
  /** Completes writes of the history. As in the editor, a value can be read before its write completes. */
  const writes = { completed: Promise.resolve() };
  const update = (key: string, value: unknown) => storage.update(key, value).then(() => writes.completed);
  const history = new JobHistoryStore({ ...storage, update });
  for (const job of [...jobs].reverse()) await history.put('c', job);
  const changed = new Emitter<void>();
  const newClient = () => createClient({ connection: server.connection, fetch, clock: time.clock });
  const client = newClient();
  const connections = {
    profile: { id: 'c' },
    client: client as Client | undefined,
    onDidChange: changed.event,
  };
  const announced: EndedJobs[] = [];
  const shownStates: (Job | undefined)[] = [];
  const errors: unknown[] = [];
  const tracker = new JobTracker({
    connections,
    clock: time.clock,
    history,
    show: (_, job) => void shownStates.push(job),
    announce: (ended) => void announced.push(ended),
    onError: (error) => void errors.push(error),
  });
  const connect = (client: Client | undefined, id = 'c') => {
    connections.profile = { id };
    connections.client = client;
    changed.fire();
  };
  return {
    ...{
      tracker,
      history,
      writes,
      time,
      announced,
      shownStates,
      errors,
      connect,
      client,
      newClient,
      received: server.received,
    },
    until: (what: string, condition: () => boolean) => eventually(what, condition),
    /** Lets time pass until the condition holds. */
    passing: (what: string, condition: () => boolean) =>
      eventually(what, () => {
        time.advance(1_000);
        return condition();
      }),
    status: (id: string) => history.find('c', id)?.status,
  };
}

const jobOf = (path: string) => path.split('/').at(-1) ?? '';
const always =
  (state: Partial<Job>): Script =>
  ({ path }, response) =>
    json(response, 200, { id: jobOf(path), status: 'IN_QUEUE', ...state });

describe('Job tracker', () => {
  it('follows the unfinished jobs of the connection, and sends no request for the others', async () => {
    const jobs = [stored('1'), stored('2', { status: 'COMPLETED' }), stored('3', { gone: true })];
    await withTracker(jobs, always({ status: 'IN_PROGRESS', workerId: 'w' }), async ({ history, received, until }) => {
      await until('the state is recorded', () => history.find('c', '1')?.workerId === 'w');
      assert.ok(received.every(({ path }) => path.endsWith('/status/1')));
    });
  });

  it('records the end with its times, shows it, and sends no further request', async () => {
    const state = { status: 'COMPLETED', delayTime: 5, executionTime: 7, workerId: 'w', output: 1 };
    const job = stored('1', { pricePerHour: 2, file: 'file:///x.job.json' });
    await withTracker([job], always(state), async ({ history, shownStates, received, until, time }) => {
      await until('the end is shown', () => shownStates.length > 0);
      const { output: _, ...recorded } = state;
      await until('the end is recorded', () => history.find('c', '1')?.status === 'COMPLETED');
      assert.deepEqual(history.find('c', '1'), { ...job, ...recorded, endedAt: time.clock.now() });
      time.advance(MINUTE_MS);
      assert.equal(received.length, 1);
    });
  });

  it('announces the jobs that ended while the editor was closed once, together', async () => {
    const statuses: Record<string, string> = { 1: 'COMPLETED', 2: 'FAILED', 3: 'IN_QUEUE' };
    const script: Script = ({ path }, response) => {
      json(response, 200, { id: jobOf(path), status: statuses[jobOf(path)] });
    };
    await withTracker([stored('1'), stored('2'), stored('3')], script, async ({ announced, passing, until }) => {
      await until('the summary', () => announced.length > 0);
      assert.deepEqual(
        announced.map(({ when, jobs }) => [when, jobs.map(({ id }) => id).sort()]),
        [['closed', ['1', '2']]],
      );
      statuses[3] = 'FAILED';
      await passing('the later end', () => announced.length > 1);
      assert.deepEqual([announced[1]?.when, announced[1]?.jobs[0]?.id], ['now', '3']);
    });
  });

  it('sends at most 4 requests at a time', async () => {
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const script: Script = async ({ path }, response) => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => waiting.push(resolve));
      open--;
      json(response, 200, { id: jobOf(path), status: 'COMPLETED' });
    };
    const jobs = Array.from({ length: 10 }, (_, index) => stored(String(index)));
    await withTracker(jobs, script, async ({ history, received, until }) => {
      await until('all jobs have ended', () => {
        if (received.length >= 4 || waiting.length > 0) waiting.shift()?.();
        return history.recent('c').every(({ status }) => status === 'COMPLETED');
      });
      assert.equal(most, 4);
    });
  });

  it('marks a job that the platform no longer has, and keeps its last status', async () => {
    const script: Script = (_, response) => json(response, 404, { error: 'not found' });
    await withTracker(
      [stored('1', { status: 'IN_PROGRESS' })],
      script,
      async ({ history, until, received, time, shownStates }) => {
        await until('the job is marked', () => history.find('c', '1')?.gone === true);
        assert.equal(history.find('c', '1')?.status, 'IN_PROGRESS');
        await until('the document changes', () => shownStates.length === 1);
        assert.equal(shownStates[0], undefined);
        time.advance(MINUTE_MS);
        assert.equal(received.length, 1);
      },
    );
  });

  it('continues after failures, with growing pauses', async () => {
    let failures = 3;
    const script: Script = ({ path }, response) => {
      if (failures-- > 0) json(response, 503, { error: 'busy' });
      else json(response, 200, { id: jobOf(path), status: 'COMPLETED' });
    };
    await withTracker([stored('1')], script, async ({ passing, status, time, received }) => {
      const start = time.clock.now();
      await passing('the end', () => status('1') === 'COMPLETED');
      assert.equal(received.length, 4);
      assert.ok(time.clock.now() - start >= 2_000 + 4_000 + 8_000);
    });
  });

  it('stops after a refused key', async () => {
    const script: Script = (_, response) => json(response, 401, { error: 'no' });
    await withTracker([stored('1')], script, async ({ until, received, time }) => {
      await until('the request', () => received.length === 1);
      await until('nothing sleeps', () => time.sleeping === 0);
      time.advance(MINUTE_MS);
      assert.equal(received.length, 1);
    });
  });

  it('stops when the connection ends, and resumes when it returns', async () => {
    let status = 'IN_QUEUE';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withTracker([stored('1')], script, async ({ connect, newClient, received, announced, until, time }) => {
      await until('the first request', () => received.length === 1 && time.sleeping > 0);
      connect(undefined);
      await until('nothing sleeps', () => time.sleeping === 0);
      time.advance(MINUTE_MS);
      assert.equal(received.length, 1);
      status = 'FAILED';
      connect(newClient());
      await until('the summary', () => announced.length > 0);
      assert.equal(announced[0]?.when, 'away');
    });
  });

  it('announces a job whose end is recorded while the connection drops, and all later ones', async () => {
    const statuses: Record<string, string> = { 1: 'IN_QUEUE', 2: 'IN_QUEUE' };
    const script: Script = ({ path }, response) => {
      json(response, 200, { id: jobOf(path), status: statuses[jobOf(path)] });
    };
    await withTracker([stored('1'), stored('2')], script, async (world) => {
      const { announced, connect, newClient, passing, status, time, until, writes, received } = world;
      await until('both jobs are followed', () => received.length === 2 && time.sleeping === 2);
      const completed = Promise.withResolvers<void>();
      writes.completed = completed.promise;
      statuses[1] = 'COMPLETED';
      await passing('the end is being recorded', () => status('1') === 'COMPLETED');
      connect(undefined);
      completed.resolve();
      await passing('the first end is announced', () => announced.length === 1);
      connect(newClient());
      await until('the other job is followed again', () => time.sleeping > 0);
      statuses[2] = 'FAILED';
      await passing('the second end is announced', () => announced.length === 2);
      assert.deepEqual(
        announced.map(({ connectionId, jobs }) => [connectionId, jobs.map(({ id }) => id)]),
        [
          ['c', ['1']],
          ['c', ['2']],
        ],
      );
    });
  });

  it('announces each end under its own connection', async () => {
    let status = 'IN_QUEUE';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withTracker([stored('1')], script, async (world) => {
      const { announced, connect, history, newClient, passing, time, until, writes, received } = world;
      await history.put('other', stored('2'));
      await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
      const completed = Promise.withResolvers<void>();
      writes.completed = completed.promise;
      status = 'COMPLETED';
      await passing('the end is being recorded', () => world.status('1') === 'COMPLETED');
      connect(newClient(), 'other');
      completed.resolve();
      await passing('both ends are announced', () => announced.length === 2);
      assert.deepEqual(announced.map(({ connectionId, jobs }) => [connectionId, jobs[0]?.id]).sort(), [
        ['c', '1'],
        ['other', '2'],
      ]);
    });
  });

  it('continues while the connection keeps its client, such as after a new name', async () => {
    let status = 'IN_QUEUE';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withTracker([stored('1')], script, async ({ announced, connect, client, passing, received, time, until }) => {
      await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
      status = 'COMPLETED';
      connect(client);
      await passing('the end is announced', () => announced.length > 0);
      assert.deepEqual(
        announced.map(({ when }) => when),
        ['now'],
        'the job was followed all the time',
      );
    });
  });

  it('ignores the jobs of another connection', async () => {
    await withTracker([stored('1')], always({}), async ({ connect, newClient, received, until, time, tracker }) => {
      await until('the first request', () => received.length === 1);
      connect(newClient(), 'other');
      tracker.track('c', stored('1'));
      await until('nothing sleeps', () => time.sleeping === 0);
      assert.equal(received.length, 1);
    });
  });

  it('does not follow a job twice, or one that other code follows', async () => {
    await withTracker([], always({ status: 'COMPLETED' }), async ({ tracker, history, received, until, status }) => {
      await history.put('c', stored('1'));
      const release = tracker.hold('c', '1');
      tracker.track('c', stored('1'));
      release();
      tracker.track('c', stored('1'));
      await until('the end', () => status('1') === 'COMPLETED');
      assert.equal(received.length, 1);
      release();
      assert.equal(received.length, 1);
    });
  });

  it('stops following a job that is removed from the history', async () => {
    await withTracker([stored('1')], always({}), async ({ history, received, until, time }) => {
      await until('the first request', () => received.length === 1 && time.sleeping > 0);
      await history.remove('c', ['1']);
      await until('nothing sleeps', () => time.sleeping === 0);
      assert.deepEqual(history.recent('c'), []);
    });
  });

  it('records a state that another request returned, also of a retried job', async () => {
    await withTracker([], always({}), async ({ tracker, history, time }) => {
      await tracker.seen('c', stored('1'), { id: '1', status: 'FAILED', workerId: 'w', executionTime: 3 });
      const endedAt = time.clock.now();
      assert.deepEqual(history.recent('c'), [
        stored('1', { status: 'FAILED', workerId: 'w', executionTime: 3, endedAt }),
      ]);
      await tracker.seen('c', stored('1'), { id: '1', status: 'IN_QUEUE' });
      assert.deepEqual(history.recent('c'), [stored('1')]);
    });
  });
});
