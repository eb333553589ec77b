import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Client } from '../../../../src/client/client.ts';
import type { Backfill } from '../../../../src/features/logs/model/logOptions.ts';
import type { Clock } from '../../../../src/client/clock.ts';
import { LogArchive } from '../../../../src/features/logs/archive/logArchive.ts';
import { WorkerLog } from '../../../../src/features/logs/follow/workerLog.ts';
import { json, startScriptedServer, type Script } from '../../../client/scriptedServer.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const frame = (id: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ source: 'container', line: id, ts: '2026-01-01T00:00:00Z' })}\n\n`;

function events(response: ServerResponse, ...ids: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`retry: 1\n\n${ids.map(frame).join('')}`);
}

const problem = (response: ServerResponse, status: number, detail: string) =>
  json(response, status, { title: 'Error', status, detail }, 'application/problem+json');

/** Returns a clock whose `sleep` resolves immediately and records the requested delay. `pass` lets time pass for `after`. */
function immediateClock() {
  const slept: number[] = [];
  let now = 1_000_000;
  let waiting: { readonly at: number; readonly action: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) => {
      slept.push(ms);
      return signal?.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve();
    },
    after: (ms, action) => {
      const entry = { at: now + ms, action };
      waiting.push(entry);
      return () => void (waiting = waiting.filter((one) => one !== entry));
    },
  };
  const pass = (ms: number) => {
    for (const end = now + ms; now < end;) {
      now += 1_000;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { action } of due) action();
    }
  };
  return { clock, slept, pass };
}

/** Returns a log and its output: `+line`, or the kind of a state. `until` resolves once the output contains a text. */
async function watch(folder?: string) {
  const said: string[] = [];
  const { clock, slept, pass } = immediateClock();
  let waiting: { text: string; resolve: () => void } | undefined;
  const record = (text: string) => {
    said.push(text);
    if (waiting?.text === text) waiting.resolve();
  };
  const worker = { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId: 'w' };
  const archive = await LogArchive.open(folder ?? (await dataDirectory()), worker, { maxBytes: 1e9 });
  assert.ok(archive);
  archives.push(archive);
  const log = new WorkerLog(archive, {
    lines: (entries) => entries.forEach(({ event }) => record(`+${event.line}`)),
    state: (state) => record(state.kind === 'refused' ? `refused ${state.error.kind}` : state.kind),
    status: () => undefined,
  });
  const until = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { text, resolve };
    if (said.includes(text)) resolve();
    return promise;
  };
  const follow = ({ client }: { client: Client }, backfill: Backfill = { tail: 1_000 }) =>
    log.follow({ ...client.context, clock, random: () => 1 }, backfill);
  return { log, archive, follow, said, slept, until, pass };
}

const archives: LogArchive[] = [];

/** Answers each request with the next script. The last script answers all further requests. */
const inTurn =
  (...scripts: Script[]): Script =>
  (request, response) =>
    (scripts.length > 1 ? scripts.shift() : scripts[0])?.(request, response);

describe('the log of a worker', () => {
  afterEach(async () => {
    for (const archive of archives.splice(0)) await archive.close();
    await cleanUp();
  });

  it('continues with the next line after the connection is lost', async () => {
    const { log, follow, said, until } = await watch();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => {
          events(response, 'a', 'b');
          response.end();
        },
        (_, response) => events(response, 'c'),
      ),
    );
    await follow(server);
    await until('+c');
    log.stop();
    assert.deepEqual(said, ['connected', '+a', '+b', 'lost', 'resumed', '+c']);
    assert.equal(server.received[1]?.headers['last-event-id'], 'b');
  });

  it('continues at its place on a platform that restarted at another address', async () => {
    const { log, follow, said, until } = await watch();
    {
      await using first = await startScriptedServer((_, response) => events(response, 'a'));
      await follow(first);
      await until('+a');
      log.stop();
    }
    await using second = await startScriptedServer((_, response) => events(response, 'b'));
    await follow(second);
    await until('+b');
    log.stop();
    assert.deepEqual(said, ['connected', '+a', 'resumed', '+b']);
    assert.equal(second.received[0]?.headers['last-event-id'], 'a');
    assert.equal(log.isActive, false);
  });

  it('requests past lines on the first stream only', async () => {
    const { log, follow, until } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server);
    await until('+a');
    log.stop();
    assert.match(server.received[0]?.path ?? '', /tail=1000/);
    assert.equal(server.received[0]?.headers['last-event-id'], undefined);
  });

  it('ends when the service refuses the stream, and can be started again', async () => {
    const { log, follow, said, until } = await watch();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => problem(response, 403, 'access denied'),
        (_, response) => events(response, 'a'),
      ),
    );
    await follow(server);
    await until('refused forbidden');
    assert.equal(log.isActive, false);
    await follow(server);
    await until('+a');
    log.stop();
    assert.deepEqual(said, ['refused forbidden', 'connected', '+a']);
  });

  it('increases the delay while the service is unavailable, and reports the loss once', async () => {
    const { log, follow, said, slept, until } = await watch();
    const busy: Script = (_, response) => problem(response, 503, 'log store unavailable');
    await using server = await startScriptedServer(inTurn(busy, busy, busy, (_, response) => events(response, 'a')));
    await follow(server);
    await until('+a');
    log.stop();
    assert.deepEqual(said, ['lost', 'connected', '+a']);
    assert.deepEqual(slept, [3_000, 6_000, 12_000]);
  });

  it('keeps its place when a reconnection attempt fails', async () => {
    const { log, follow, said, until } = await watch();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => {
          events(response, 'a');
          response.end();
        },
        (_, response) => problem(response, 502, 'bad gateway'),
        (_, response) => events(response, 'b'),
      ),
    );
    await follow(server);
    await until('+b');
    log.stop();
    assert.deepEqual(said, ['connected', '+a', 'lost', 'resumed', '+b']);
    assert.equal(server.received[2]?.headers['last-event-id'], 'a');
  });

  it('opens one stream at a time', async () => {
    const { log, follow, said, until } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    // The first stream is replaced before it opens.
    await Promise.all([follow(server), follow(server)]);
    await until('+a');
    log.stop();
    assert.deepEqual(said, ['connected', '+a']);
    assert.equal(server.received.length, 1);
  });

  it('begins with the lines since a time', async () => {
    const { log, follow, until } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server, { since: Date.parse('2026-01-01T10:00:00Z') });
    await until('+a');
    log.stop();
    assert.match(decodeURIComponent(server.received[0]?.path ?? ''), /since=2026-01-01T10:00:00.000Z/);
    assert.doesNotMatch(server.received[0]?.path ?? '', /tail/);
  });

  it('begins with that many lines of the source that it shows, and stores the lines of both', async () => {
    const lines = ['container', 'container', 'system', 'container', 'system', 'system'].map((source, second) => ({
      ...{ source, line: `${source} ${second}`, ts: `2026-01-01T00:00:0${second}.000000001Z` },
    }));
    await using server = await startScriptedServer(({ path }, response) => {
      const query = new URL(path, 'http://localhost').searchParams;
      const [source, since, tail] = [query.get('source'), query.get('since'), Number(query.get('tail'))];
      const own = lines.filter((one) => source === null || one.source === source);
      const sent = since === null ? own.slice(-tail) : own.filter(({ ts }) => ts >= since);
      const frames = sent.map((one) => `id: ${one.ts}\ndata: ${JSON.stringify(one)}\n\n`);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`: open\n\n${frames.join('')}`);
    });
    const { log, archive, said, until } = await watch();
    // The requests need time to end.
    void log.follow(server.client.context, { tail: 2, source: 'container' });
    await until('+system 5');
    log.stop();
    assert.match(server.received[0]?.path ?? '', /source=container&tail=2/);
    assert.deepEqual(said.slice(1), ['+container 1', '+system 2', '+container 3', '+system 4', '+system 5']);
    assert.equal(archive.count, 5);
  });

  it('begins with lines of both sources if the shown one has none', async () => {
    await using server = await startScriptedServer(({ path }, response) =>
      events(response, ...(path.includes('source=') ? [] : ['a'])),
    );
    const { log, until } = await watch();
    void log.follow(server.client.context, { tail: 2, source: 'system' });
    await until('+a');
    log.stop();
    assert.match(server.received.at(-1)?.path ?? '', /tail=2/);
  });

  it('continues after the last stored line in the next session, and tells how long it was away', async () => {
    const folder = await dataDirectory();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => events(response, 'a', 'b'),
        (_, response) => events(response, 'c'),
      ),
    );
    const first = await watch(folder);
    await first.follow(server);
    await first.until('+b');
    first.log.stop();
    await first.archive.close();
    const second = await watch(folder);
    second.pass(180_000);
    await second.follow(server);
    await second.until('+c');
    second.log.stop();
    assert.deepEqual(second.said, ['away', '+c']);
    assert.equal(server.received[1]?.headers['last-event-id'], 'b');
    const lines = await second.archive.read(0, 10);
    assert.deepEqual(
      lines.map(({ event }) => event.line),
      ['a', 'b', 'c'],
    );
  });

  it('opens the stream again after a long silence, such as the sleep of the machine', async () => {
    const { log, follow, said, until, pass } = await watch();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => events(response, 'a'),
        (_, response) => events(response, 'b'),
      ),
    );
    await follow(server);
    await until('+a');
    pass(11 * 60_000);
    await until('+b');
    log.stop();
    assert.deepEqual(said, ['connected', '+a', 'away', '+b']);
    assert.equal(server.received[1]?.headers['last-event-id'], 'a');
  });

  it('waits longer for a stream that sends no comments', async () => {
    const { log, follow, said, until, pass } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server);
    await until('+a');
    pass(5 * 60_000);
    assert.equal(server.received.length, 1);
    log.stop();
    assert.deepEqual(said, ['connected', '+a']);
  });

  it('is not complete while the connection is lost, and continues if the worker comes back', async () => {
    const { log, follow, said, until, pass } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server);
    await until('+a');
    log.setGone(true);
    pass(5_000);
    assert.equal(log.status, 'ended');
    log.setGone(false);
    assert.equal(log.status, 'off');
    await follow(server);
    await until('away');
    log.stop();
    assert.deepEqual(said, ['connected', '+a', 'ended', 'away']);
  });

  it('ends after the last line of a worker that is gone, and says so', async () => {
    const { log, follow, said, until, pass } = await watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server);
    await until('+a');
    pass(30_000);
    assert.equal(log.status, 'following');
    log.setGone(true);
    pass(5_000);
    assert.deepEqual(said, ['connected', '+a', 'ended']);
    assert.equal(log.status, 'ended');
    assert.equal(log.isActive, false);
  });
});
