import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Client } from '../../../src/client/client.ts';
import type { Clock } from '../../../src/client/clock.ts';
import { WorkerLogFollower } from '../../../src/features/logs/workerLogFollower.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';

const frame = (id: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ source: 'container', line: id, ts: '2026-01-01T00:00:00Z' })}\n\n`;

function events(response: ServerResponse, ...ids: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`retry: 1\n\n${ids.map(frame).join('')}`);
}

const problem = (response: ServerResponse, status: number, detail: string) =>
  json(response, status, { title: 'Error', status, detail }, 'application/problem+json');

/** Returns a clock whose `sleep` resolves immediately and records the requested delay. */
function immediateClock() {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => {
      slept.push(ms);
      return signal?.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve();
    },
  };
  return { clock, slept };
}

/** Returns a follower and its output: `+line`, or the kind of a state. `until` resolves once the output contains a text. */
function watch() {
  const said: string[] = [];
  const { clock, slept } = immediateClock();
  let waiting: { text: string; resolve: () => void } | undefined;
  const record = (text: string) => {
    said.push(text);
    if (waiting?.text === text) waiting.resolve();
  };
  const follower = new WorkerLogFollower(
    { endpointId: 'e', workerId: 'w' },
    {
      line: (event) => record(`+${event.line}`),
      state: (state) => record(state.kind === 'refused' ? `refused ${state.error.kind}` : state.kind),
    },
  );
  const until = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { text, resolve };
    if (said.includes(text)) resolve();
    return promise;
  };
  const follow = ({ client }: { client: Client }) => follower.follow({ ...client.context, clock, random: () => 1 });
  return { follower, follow, said, slept, until };
}

/** Answers each request with the next script. The last script answers all further requests. */
const inTurn =
  (...scripts: Script[]): Script =>
  (request, response) =>
    (scripts.length > 1 ? scripts.shift() : scripts[0])?.(request, response);

describe('WorkerLogFollower', () => {
  it('continues with the next line after the connection is lost', async () => {
    const { follower, follow, said, until } = watch();
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
    follower.stop();
    assert.deepEqual(said, ['connected', '+a', '+b', 'lost', 'resumed', '+c']);
    assert.equal(server.received[1]?.headers['last-event-id'], 'b');
  });

  it('continues at its place on a platform that restarted at another address', async () => {
    const { follower, follow, said, until } = watch();
    {
      await using first = await startScriptedServer((_, response) => events(response, 'a'));
      await follow(first);
      await until('+a');
      follower.stop();
    }
    await using second = await startScriptedServer((_, response) => events(response, 'b'));
    await follow(second);
    await until('+b');
    follower.stop();
    assert.deepEqual(said, ['connected', '+a', 'resumed', '+b']);
    assert.equal(second.received[0]?.headers['last-event-id'], 'a');
    assert.equal(follower.following, false);
  });

  it('requests past lines on the first stream only', async () => {
    const { follower, follow, until } = watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    await follow(server);
    await until('+a');
    follower.stop();
    assert.match(server.received[0]?.path ?? '', /tail=1000/);
    assert.equal(server.received[0]?.headers['last-event-id'], undefined);
  });

  it('ends when the service refuses the stream, and can be started again', async () => {
    const { follower, follow, said, until } = watch();
    await using server = await startScriptedServer(
      inTurn(
        (_, response) => problem(response, 403, 'access denied'),
        (_, response) => events(response, 'a'),
      ),
    );
    await follow(server);
    await until('refused forbidden');
    assert.equal(follower.following, false);
    await follow(server);
    await until('+a');
    follower.stop();
    assert.deepEqual(said, ['refused forbidden', 'connected', '+a']);
  });

  it('increases the delay while the service is unavailable, and reports the loss once', async () => {
    const { follower, follow, said, slept, until } = watch();
    const busy: Script = (_, response) => problem(response, 503, 'log store unavailable');
    await using server = await startScriptedServer(inTurn(busy, busy, busy, (_, response) => events(response, 'a')));
    await follow(server);
    await until('+a');
    follower.stop();
    assert.deepEqual(said, ['lost', 'connected', '+a']);
    assert.deepEqual(slept, [3_000, 6_000, 12_000]);
  });

  it('keeps its place when a reconnection attempt fails', async () => {
    const { follower, follow, said, until } = watch();
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
    follower.stop();
    assert.deepEqual(said, ['connected', '+a', 'lost', 'resumed', '+b']);
    assert.equal(server.received[2]?.headers['last-event-id'], 'a');
  });

  it('opens one stream at a time', async () => {
    const { follower, follow, said, until } = watch();
    await using server = await startScriptedServer((_, response) => events(response, 'a'));
    // The first stream is replaced before it opens.
    await Promise.all([follow(server), follow(server)]);
    await until('+a');
    follower.stop();
    assert.deepEqual(said, ['connected', '+a']);
    assert.equal(server.received.length, 1);
  });
});
