import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { Job } from '../../../../src/contract/job.ts';
import { JobHistoryStore } from '../../../../src/features/jobs/actions/jobHistoryStore.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { JobFollower, type EndedJobs } from '../../../../src/features/jobs/actions/jobFollower.ts';
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

/** Runs a follower against a scripted platform. The connection `c` is available unless the test takes its client away. */
async function withFollower(
  jobs: readonly StoredJob[],
  script: Script,
  test: (world: Awaited<ReturnType<typeof worldOf>>) => Promise<void>,
) {
  await using server = await startScriptedServer(script);
  const world = await worldOf(jobs, server);
  try {
    await test(world);
  } finally {
    world.follower.dispose();
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
  const chunks: unknown[] = [];
  const follower = new JobFollower({
    connections,
    clock: time.clock,
    history,
    documents: {
      update: (_, job) => void shownStates.push(job),
      stream: (_, event) => void chunks.push(event.kind === 'chunks' ? event.outputs : event.kind),
    },
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
      follower,
      chunks,
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

const state = (status: Job['status']): Job => ({ id: '1', status });
const waiting = () => ({ signal: new AbortController().signal, cancels: false });

describe('Job follower', () => {
  it('follows the unfinished jobs of the connection, and sends no request for the others', async () => {
    const jobs = [stored('1'), stored('2', { status: 'COMPLETED' }), stored('3', { gone: true })];
    await withFollower(jobs, always({ status: 'IN_PROGRESS', workerId: 'w' }), async ({ history, received, until }) => {
      await until('the state is recorded', () => history.find('c', '1')?.workerId === 'w');
      assert.ok(received.every(({ path }) => path.endsWith('/status/1')));
    });
  });

  it('records the end with its times, shows it, and sends no further request', async () => {
    const state = { status: 'COMPLETED', delayTime: 5, executionTime: 7, workerId: 'w', output: 1 };
    const job = stored('1', { pricePerHour: 2, file: 'file:///x.job.json' });
    await withFollower([job], always(state), async ({ history, shownStates, received, until, time }) => {
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
    await withFollower([stored('1'), stored('2'), stored('3')], script, async ({ announced, passing, until }) => {
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
    await withFollower(jobs, script, async ({ history, received, until }) => {
      await until('all jobs have ended', () => {
        if (received.length >= 4 || waiting.length > 0) waiting.shift()?.();
        return history.recent('c').every(({ status }) => status === 'COMPLETED');
      });
      assert.equal(most, 4);
    });
  });

  it('marks a job that the platform no longer has, and keeps its last status', async () => {
    const script: Script = (_, response) => json(response, 404, { error: 'not found' });
    await withFollower(
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
    await withFollower([stored('1')], script, async ({ passing, status, time, received }) => {
      const start = time.clock.now();
      await passing('the end', () => status('1') === 'COMPLETED');
      assert.equal(received.length, 4);
      assert.ok(time.clock.now() - start >= 2_000 + 4_000 + 8_000);
    });
  });

  it('stops after a refused key', async () => {
    const script: Script = (_, response) => json(response, 401, { error: 'no' });
    await withFollower([stored('1')], script, async ({ until, received, time }) => {
      await until('the request', () => received.length === 1);
      await until('nothing sleeps', () => time.sleeping === 0);
      time.advance(MINUTE_MS);
      assert.equal(received.length, 1);
    });
  });

  it('stops when the connection ends, and resumes when it returns', async () => {
    let status = 'IN_QUEUE';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withFollower([stored('1')], script, async ({ connect, newClient, received, announced, until, time }) => {
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
    await withFollower([stored('1'), stored('2')], script, async (world) => {
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
    await withFollower([stored('1')], script, async (world) => {
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
    await withFollower(
      [stored('1')],
      script,
      async ({ announced, connect, client, passing, received, time, until }) => {
        await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
        status = 'COMPLETED';
        connect(client);
        await passing('the end is announced', () => announced.length > 0);
        assert.deepEqual(
          announced.map(({ when }) => when),
          ['now'],
          'the job was followed all the time',
        );
      },
    );
  });

  it('ignores the jobs of another connection', async () => {
    await withFollower([stored('1')], always({}), async ({ connect, newClient, received, until, time, follower }) => {
      await until('the first request', () => received.length === 1);
      connect(newClient(), 'other');
      void follower.seen('c', stored('1'), { id: '1', status: 'IN_QUEUE' });
      await until('nothing sleeps', () => time.sleeping === 0);
      assert.equal(received.length, 1);
    });
  });

  it('follows a job once, however many callers report it or wait for it', async () => {
    let status = 'IN_PROGRESS';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withFollower([stored('1')], script, async ({ follower, received, until, passing, time, announced }) => {
      await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
      const seen: string[][] = [[], []];
      const waits = seen.map((states) =>
        follower.wait('c', stored('1'), state('IN_PROGRESS'), {
          ...waiting(),
          onState: (next) => void states.push(next.status),
        }),
      );
      await follower.seen('c', stored('1'), state('IN_PROGRESS'));
      assert.equal(received.length, 1);
      status = 'COMPLETED';
      await passing('the end', () => seen.every((states) => states.includes('COMPLETED')));
      assert.deepEqual(
        (await Promise.all(waits)).map((job) => job?.status),
        ['COMPLETED', 'COMPLETED'],
      );
      time.advance(MINUTE_MS);
      assert.deepEqual([received.length, announced], [2, []], 'the callers announce the end');
    });
  });

  it('follows a job to its announced end after a wait is over', async () => {
    let status = 'IN_PROGRESS';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withFollower([], script, async ({ follower, history, passing, announced }) => {
      await history.put('c', stored('1'));
      const wait = follower.wait('c', stored('1'), state('IN_PROGRESS'), { ...waiting(), limitMs: 2_000 });
      let last: Job | undefined;
      void wait.then((job) => (last = job));
      await passing('the time is over', () => last?.status === 'IN_PROGRESS');
      status = 'FAILED';
      await passing('the end is announced', () => announced.length === 1);
      assert.deepEqual([announced[0]?.when, announced[0]?.jobs[0]?.status], ['now', 'FAILED']);
    });
  });

  it('ends a wait without canceling the job, unless the caller cancels', async () => {
    let isCanceled = false;
    const script: Script = ({ method, path }, response) => {
      isCanceled ||= method === 'POST';
      json(response, 200, { id: jobOf(path), status: isCanceled ? 'CANCELLED' : 'IN_PROGRESS' });
    };
    await withFollower([stored('1')], script, async ({ follower, received, status, announced }) => {
      const posts = () => received.filter(({ method }) => method === 'POST').length;
      const abort = new AbortController();
      const wait = (cancels: boolean, { signal }: AbortController) =>
        follower.wait('c', stored('1'), state('IN_PROGRESS'), { signal, cancels });
      const ended = wait(false, abort);
      abort.abort();
      await assert.rejects(ended, { kind: 'canceled' });
      assert.equal(posts(), 0);
      const cancel = new AbortController();
      const canceled = wait(true, cancel);
      cancel.abort();
      assert.equal((await canceled)?.status, 'CANCELLED');
      assert.deepEqual([posts(), status('1'), announced], [1, 'CANCELLED', []]);
    });
  });

  it('reads the stream only for a caller that takes its chunks, and its rest before the wait ends', async () => {
    const answers = [['a'], ['b'], []];
    let status = 'IN_PROGRESS';
    const script: Script = ({ path }, response) => {
      if (!path.includes('/stream/')) json(response, 200, { id: '1', status });
      else {
        status = 'COMPLETED';
        json(response, 200, { status, stream: (answers.shift() ?? []).map((output) => ({ output })) });
      }
    };
    await withFollower([stored('1')], script, async ({ follower, received, chunks, until, passing, time }) => {
      await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
      const taken: unknown[] = [];
      let isOver = false;
      const wait = follower
        .wait('c', stored('1'), state('IN_PROGRESS'), { ...waiting(), onChunks: (outputs) => taken.push(...outputs) })
        .finally(() => (isOver = true));
      await passing('the wait ends', () => isOver);
      await wait;
      assert.deepEqual(
        [taken, chunks],
        [
          ['a', 'b'],
          [['a'], ['b'], 'ended'],
        ],
      );
    });
  });

  it('follows a job again whose end a slow response to another request replaced', async () => {
    let status = 'IN_PROGRESS';
    const script: Script = ({ path }, response) => json(response, 200, { id: jobOf(path), status });
    await withFollower([stored('1', { status: 'IN_PROGRESS' })], script, async (world) => {
      const { follower, received, until, passing, time, writes } = world;
      await until('the job is followed', () => received.length === 1 && time.sleeping > 0);
      status = 'COMPLETED';
      const completed = Promise.withResolvers<void>();
      writes.completed = completed.promise;
      await passing('the end is being recorded', () => world.status('1') === 'COMPLETED');
      const late = follower.seen('c', stored('1'), state('IN_PROGRESS'));
      assert.equal(world.status('1'), 'IN_PROGRESS');
      completed.resolve();
      await late;
      await passing('the end is recorded again', () => world.status('1') === 'COMPLETED');
    });
  });

  it('stops following a job that is removed from the history', async () => {
    await withFollower([stored('1')], always({}), async ({ history, received, until, time }) => {
      await until('the first request', () => received.length === 1 && time.sleeping > 0);
      await history.remove('c', ['1']);
      await until('nothing sleeps', () => time.sleeping === 0);
      assert.deepEqual(history.recent('c'), []);
    });
  });

  it('records a state that another request returned, also of a retried job', async () => {
    await withFollower([], always({}), async ({ follower, history, time }) => {
      await follower.seen('c', stored('1'), { id: '1', status: 'FAILED', workerId: 'w', executionTime: 3 });
      const endedAt = time.clock.now();
      assert.deepEqual(history.recent('c'), [
        stored('1', { status: 'FAILED', workerId: 'w', executionTime: 3, endedAt }),
      ]);
      await follower.seen('c', stored('1'), { id: '1', status: 'IN_QUEUE' });
      assert.deepEqual(history.recent('c'), [stored('1')]);
    });
  });
});
