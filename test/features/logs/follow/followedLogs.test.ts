import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { LogArchives } from '../../../../src/features/logs/archive/logArchives.ts';
import { FollowedLogs } from '../../../../src/features/logs/follow/followedLogs.ts';
import { WorkerWatch } from '../../../../src/features/logs/follow/workerWatch.ts';
import { fillEarlierLines } from '../../../../src/features/logs/follow/fillEarlierLines.ts';
import type { LogSubject } from '../../../../src/features/logs/model/logSubject.ts';
import type { Client } from '../../../../src/client/client.ts';
import { systemClock, type Clock } from '../../../../src/client/clock.ts';
import { json, startScriptedServer, type Received } from '../../../client/scriptedServer.ts';
import { Emitter } from '../../../../src/kit/emitter.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

/** Returns a frame with a line that was written a number of ms after the start. */
function frame(at: number, line: string): string {
  const ts = new Date(START + at).toISOString();
  return `id: ${ts}\ndata: ${JSON.stringify({ source: 'container', line, ts })}\n\n`;
}

function stream(response: ServerResponse, frames: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`: open\n\n${frames}`);
}

/** A clock whose waiting actions run when the time passes. */
function steppedClock() {
  let now = START;
  let waiting: { readonly at: number; readonly action: () => void }[] = [];
  const after = (ms: number, action: () => void): (() => void) => {
    const entry = { at: now + ms, action };
    waiting.push(entry);
    return () => void (waiting = waiting.filter((one) => one !== entry));
  };
  const clock: Clock = {
    ...{ now: () => now, after },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const cancel = after(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason as Error);
        });
      }),
  };
  const pass = (ms: number) => {
    for (const end = now + ms; now < end;) {
      now += 1_000;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { action } of due) action();
    }
  };
  return { clock, pass };
}

describe('followed logs', () => {
  const disposables: { dispose(): unknown }[] = [];
  const open: LogArchives[] = [];
  afterEach(async () => {
    for (const one of disposables.splice(0)) one.dispose();
    for (const archives of open.splice(0)) await archives.close();
    await cleanUp();
  });

  async function arrange(server: Awaited<ReturnType<typeof startScriptedServer>>) {
    const { clock, pass } = steppedClock();
    const folder = await dataDirectory();
    const archives = new LogArchives(
      () => folder,
      () => ({ each: 1e9, all: 1e9 }),
    );
    open.push(archives);
    const context = { ...server.client.context, clock };
    const client = { ...server.client, context } as Client;
    const changed = new Emitter<void>();
    const connections = {
      client: client as Client | undefined,
      profile: { id: 'c' },
      onDidChange: changed.event,
    };
    const followed = new FollowedLogs({
      ...{ connections, archives, clock },
      onFailure: (_, error) => assert.fail(error),
    });
    const watch = new WorkerWatch(followed, { connections, clock });
    watch.setFocused(true);
    disposables.push(watch, followed);
    const said: string[] = [];
    const waiting = new Set<{ readonly met: () => boolean; readonly resolve: () => void }>();
    const record = (text: string) => {
      said.push(text);
      for (const one of waiting) if (one.met()) one.resolve();
    };
    followed.onDidReceive(({ worker, entries }) => {
      for (const { event } of entries) record(`${worker.workerId}+${event.line}`);
    });
    followed.onDidChangeLog(({ state }) => record(`log ${state.kind}`));
    followed.onDidChangeState(({ worker, state }) => record(`${worker.workerId} ${state.kind}`));
    const until = async (met: () => boolean) => {
      if (met()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { met, resolve };
      waiting.add(one);
      await promise;
      waiting.delete(one);
    };
    const setClient = (next: Client | undefined) => {
      connections.client = next;
      changed.fire();
    };
    return { followed, archives, said, until, pass, setClient, client, context };
  }

  /** Serves the workers of endpoints, and a stream for each worker. */
  const platform =
    (workersOf: (endpointId: string) => readonly string[], lines: (workerId: string) => string) =>
    (request: Received, response: ServerResponse): void => {
      const match = /\/serverless\/([^/]+)\/workers(?:\/([^/?]+)\/logs)?/.exec(request.path);
      const [, endpointId = '', workerId] = match ?? [];
      if (workerId === undefined) json(response, 200, workerList(workersOf(endpointId)));
      else stream(response, lines(workerId));
    };

  const endpoint: LogSubject = { connectionId: 'c', endpointId: 'e', endpointName: 'hello' };

  it('follow the workers of an endpoint that come and go', async () => {
    let workers = ['a'];
    await using server = await startScriptedServer(
      platform(
        () => workers,
        (id) => frame(1, `line of ${id}`),
      ),
    );
    const { followed, said, until, pass } = await arrange(server);
    followed.follow(endpoint, { tail: 10 });
    await until(() => said.includes('a+line of a'));
    workers = ['b'];
    pass(4_000);
    await until(() => said.includes('b+line of b'));
    pass(5_000);
    assert.ok(said.includes('a ended'), said.join());
    assert.equal(followed.statusOf(endpoint), 'following');
    assert.deepEqual(
      followed.workersOf(endpoint).map(({ workerId }) => workerId),
      ['a', 'b'],
    );
  });

  it('share the stream of a worker', async () => {
    await using server = await startScriptedServer(
      platform(
        () => ['a'],
        () => frame(1, 'x'),
      ),
    );
    const { followed, said, until } = await arrange(server);
    followed.follow(endpoint, { tail: 10 });
    followed.follow({ ...endpoint, workerIds: ['a'] }, { tail: 10 });
    followed.setViewed([endpoint]);
    await until(() => said.includes('a+x'));
    assert.equal(server.received.filter(({ path }) => path.includes('/logs')).length, 1);
  });

  it('pause while they are not visible, and continue after the last line', async () => {
    const worker = { ...endpoint, workerIds: ['a'] };
    await using server = await startScriptedServer(
      platform(
        () => ['a'],
        () => frame(1, 'x') + frame(2, 'y'),
      ),
    );
    const { followed, said, until, pass } = await arrange(server);
    followed.follow(worker, { tail: 10 });
    followed.setVisible(worker, true);
    await until(() => said.includes('a+y'));
    followed.setVisible(worker, false);
    pass(20_000);
    assert.equal(followed.statusOf(worker), 'following');
    pass(20_000);
    assert.equal(followed.statusOf(worker), 'paused');
    assert.ok(said.includes('log paused'));
    followed.setVisible(worker, true);
    await until(() => said.includes('a away'));
    assert.equal(said.filter((text) => text === 'a+y').length, 1);
    const resumed = server.received.filter(({ path }) => path.includes('/logs')).at(-1);
    assert.equal(resumed?.headers['last-event-id'], new Date(START + 1).toISOString());
  });

  it('are suspended while the platform is stopped', async () => {
    const worker = { ...endpoint, workerIds: ['a'] };
    await using server = await startScriptedServer(
      platform(
        () => ['a'],
        () => frame(1, 'x'),
      ),
    );
    const { followed, said, until, setClient, client } = await arrange(server);
    followed.follow(worker, { tail: 10 });
    await until(() => said.includes('a+x'));
    setClient(undefined);
    assert.deepEqual(said.at(-1), 'a suspended');
    setClient(client);
    await until(() => said.at(-1) === 'a resumed');
  });

  it('receive all lines of ten endpoints with fifty workers each', async () => {
    const idsOf = (endpointId: string) => Array.from({ length: 50 }, (_, index) => `${endpointId}w${index}`);
    await using server = await startScriptedServer(
      platform(idsOf, (id) => frame(1, `${id} one`) + frame(2, `${id} two`)),
    );
    const { followed, said, until } = await arrange(server);
    const endpoints = Array.from({ length: 10 }, (_, index) => ({ ...endpoint, endpointId: `e${index}` }));
    for (const one of endpoints) followed.follow(one, { tail: 10 });
    await until(() => said.filter((text) => text.includes('+')).length === 1_000);
    assert.equal(new Set(said.filter((text) => text.includes('+'))).size, 1_000);
    for (const one of endpoints) assert.equal(followed.statusOf(one), 'following');
  });

  it('are followed only on their own connection', async () => {
    await using server = await startScriptedServer(
      platform(
        () => ['a'],
        () => frame(1, 'x'),
      ),
    );
    const { followed } = await arrange(server);
    followed.setViewed([{ ...endpoint, connectionId: 'other', workerIds: ['a'] }]);
    assert.deepEqual(followed.awake, []);
  });

  it('continue in the next session with all lines of new workers', async () => {
    await using server = await startScriptedServer(
      platform(
        () => ['a'],
        () => frame(1, 'x'),
      ),
    );
    const { followed, said, until } = await arrange(server);
    followed.restore(endpoint, true, [], { tail: 100 });
    followed.setVisible(endpoint, true);
    await until(() => said.includes('a+x'));
    assert.ok(server.received.some(({ path }) => path.includes('tail=100')));
  });

  it('report a missing endpoint, and a platform that refuses', async () => {
    await using server = await startScriptedServer((_, response) =>
      json(response, 404, { title: 'Not Found', status: 404, detail: 'no such worker' }, 'application/problem+json'),
    );
    const worker = { ...endpoint, workerIds: ['a'] };
    const { followed, said, until } = await arrange(server);
    followed.follow(worker, { tail: 10 });
    await until(() => said.includes('a refused'));
    assert.equal(followed.statusOf(worker), 'ended');
  });

  it('add the lines before the first received one on request', async () => {
    const all = Array.from({ length: 100 }, (_, index) => frame(index, `line ${index}`));
    await using server = await startScriptedServer((request, response) => {
      const since = request.path.includes('since=');
      stream(response, all.slice(since ? 0 : 90).join(''));
    });
    const { followed, said, until, context } = await arrange(server);
    const worker = { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId: 'a' };
    followed.follow({ ...endpoint, workerIds: ['a'] }, { tail: 10 });
    await until(() => said.includes('a+line 99'));
    const { archive } = await followed.open(worker);
    const { signal } = new AbortController();
    // The full logs of a worker and of its endpoint can ask at the same time.
    await Promise.all([1, 2, 3].map(() => fillEarlierLines({ ...context, clock: systemClock }, archive, { signal })));
    assert.equal(server.received.filter(({ path }) => path.includes('since=')).length, 1);
    const lines = await archive.read(0, archive.count);
    assert.deepEqual(
      lines.map(({ event }) => event.line),
      Array.from({ length: 100 }, (_, index) => `line ${index}`),
    );
  });
});

function workerList(ids: readonly string[]): object {
  const summary = { running: ids.length, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: ids.length };
  const workers = ids.map((id) => ({ id, status: 'RUNNING', isStale: false, gpuCount: 0 }));
  return { workers, summary };
}
