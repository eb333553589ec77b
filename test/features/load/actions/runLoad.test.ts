import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createClient } from '../../../../src/client/client.ts';
import { type LoadTarget, RequestTarget } from '../../../../src/features/load/actions/loadTarget.ts';
import { runLoad, type LoadOptions, type LoadProgress } from '../../../../src/features/load/actions/runLoad.ts';
import { Spend } from '../../../../src/features/load/model/estimate.ts';
import { parseThreshold, type Threshold } from '../../../../src/features/load/model/threshold.ts';
import { json, startScriptedServer } from '../../../client/scriptedServer.ts';
import { afterwards, cleanUp, eventually } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

const thresholds = (...texts: string[]): Threshold[] =>
  texts.map(parseThreshold).filter((threshold) => 'metric' in threshold);

/** A server that responds at once, or, while it stalls, once it no longer does. It runs until `cleanUp`. */
async function stallingServer(status = 200) {
  const held: ServerResponse[] = [];
  const state = { stalls: false };
  const server = await startScriptedServer((_, response) => {
    if (state.stalls) held.push(response);
    else json(response, status, {});
  });
  afterwards(() => server[Symbol.asyncDispose]());
  const resume = (): void => {
    state.stalls = false;
    for (const response of held.splice(0)) json(response, status, {});
  };
  return { server, state, held, resume };
}

interface LoadChanges extends Partial<LoadOptions> {
  readonly seconds?: number;
  readonly thresholds?: readonly Threshold[];
}

/** Starts a load test of ten requests a second, with a clock that the test moves. */
function start(
  { connection }: { connection: Parameters<typeof createClient>[0]['connection'] },
  changes: LoadChanges = {},
) {
  const time = steppedClock();
  const { clock } = time;
  const client = createClient({ connection, fetch: globalThis.fetch, clock });
  const requests = new RequestTarget(client, () => ({ endpointId: 'e1', method: 'GET', path: '/' }), 60_000);
  const seen: { last?: LoadProgress; answered: number } = { answered: 0 };
  const target: LoadTarget = {
    send: async () => {
      const answer = await requests.send();
      seen.answered++;
      return answer;
    },
    close: () => requests.close(),
  };
  const drain = new AbortController();
  const stop = new AbortController();
  const { seconds = 4, thresholds: limits = [], ...options } = changes;
  const ended = runLoad(
    {
      ...{ clock, target, spend: new Spend(undefined), idleTimeout: 5, drainMs: 60_000 },
      profile: { kind: 'rate', rate: 10, rampTo: 10, seconds, arrivals: 'constant', seed: 1 },
      ...{ drain: drain.signal, stop: stop.signal, cancelsRest: () => false },
      onProgress: (progress) => (seen.last = progress),
      ...options,
    },
    limits,
  );
  return { advance: (ms: number) => time.advance(ms), ended, drain, stop, seen };
}

describe('A load test', () => {
  afterEach(cleanUp);

  it('contains the stall of a server in its percentiles, as an open loop', async () => {
    const { server, state, resume } = await stallingServer();
    const load = start(server, { thresholds: thresholds('p50<1s', 'p99<1s') });
    // Of 40 arrivals, one every 100 ms, the server holds the responses to the 11th to the 30th until the time of the 30th.
    for (let arrival = 1; arrival <= 40; arrival++) {
      state.stalls = arrival > 10 && arrival <= 30;
      await eventually('the arrival is sent', () => server.received.length === arrival);
      if (arrival === 30) resume();
      if (!state.stalls) await eventually('the responses arrive', () => load.seen.answered === arrival);
      load.advance(100);
    }
    const { counts, latency, lateness, thresholds: verdicts } = await load.ended;
    assert.deepEqual([counts.completed, lateness.max], [40, 0]);
    // A closed loop would have had one slow request, and a p90 of 0 ms.
    const near = (ms: number | undefined, expected: number) => Math.abs((ms ?? NaN) - expected) <= expected / 100;
    assert.deepEqual([latency.p50, latency.max], [0, 1_900]);
    assert.ok(near(latency.p90, 1_500), `p90 ${latency.p90}`);
    assert.ok(near(latency.p99, 1_800), `p99 ${latency.p99}`);
    assert.deepEqual(
      verdicts.map(({ holds }) => holds),
      [true, false],
    );
  });

  it('counts the delay of this machine, too', async () => {
    const { server } = await stallingServer();
    const load = start(server, { seconds: 1 });
    // The clock stands still, as if the process did, and then moves by a second.
    load.advance(1_000);
    const settled = eventually('all arrivals are sent', () => server.received.length === 10);
    await settled;
    load.advance(1);
    const { latency, lateness } = await load.ended;
    assert.ok((lateness.max ?? 0) >= 900 && (latency.max ?? 0) >= 900, JSON.stringify({ latency, lateness }));
  });

  it('does not send more than the allowed number in flight, and counts the others as errors', async () => {
    const { server, state, resume } = await stallingServer();
    state.stalls = true;
    const load = start(server, { seconds: 1, maxInFlight: 3, thresholds: thresholds('errors<50%') });
    for (let arrival = 1; arrival <= 10; arrival++) {
      await eventually('the arrival is due', () => server.received.length === Math.min(arrival, 3));
      load.advance(100);
    }
    resume();
    const { counts, thresholds: verdicts } = await load.ended;
    assert.deepEqual(counts, { due: 10, completed: 3, failed: 0, timedOut: 0, unanswered: 0, notSent: 7 });
    assert.deepEqual(verdicts, [{ text: 'errors<50%', value: 0.7, holds: false }]);
  });

  it('waits for what is in flight after a cancellation', async () => {
    const { server, state, resume } = await stallingServer();
    state.stalls = true;
    const load = start(server);
    await eventually('a request is sent', () => server.received.length === 1);
    load.drain.abort();
    await eventually('the load test sends no more', () => load.seen.last?.isDraining === true);
    load.advance(2_000);
    resume();
    const { end, counts, latency } = await load.ended;
    assert.deepEqual([end, counts.due, counts.completed, latency.max], ['canceled', 1, 1, 2_000]);
    assert.equal(server.received.length, 1);
  });

  it('ends the wait after the allowed time, and counts what it waited', async () => {
    const { server, state } = await stallingServer();
    state.stalls = true;
    const asked: number[] = [];
    const load = start(server, { drainMs: 5_000, cancelsRest: (rest) => asked.push(rest) > 0 });
    await eventually('a request is sent', () => server.received.length === 1);
    load.drain.abort();
    await eventually('the load test sends no more', () => load.seen.last?.isDraining === true);
    load.advance(5_000);
    const { counts, latency } = await load.ended;
    assert.deepEqual([counts.due, counts.unanswered, latency.max, asked], [1, 1, 5_000, [1]]);
  });

  it('ends at once if it is stopped', async () => {
    const { server, state } = await stallingServer();
    state.stalls = true;
    const load = start(server);
    await eventually('a request is sent', () => server.received.length === 1);
    load.stop.abort();
    const { end, counts } = await load.ended;
    assert.deepEqual([end, counts.unanswered], ['canceled', 1]);
  });

  it('counts refused requests by their reason, and not in the latencies', async () => {
    const { server } = await stallingServer(503);
    const load = start(server, { seconds: 0.1 });
    await eventually('a request is sent', () => server.received.length === 1);
    load.advance(100);
    const { counts, failures, latency } = await load.ended;
    assert.deepEqual([counts.failed, failures, latency], [1, { 'HTTP 503': 1 }, {}]);
  });

  it('sends nothing more once what is in flight would exceed the cap', async () => {
    const time = steppedClock();
    const { clock } = time;
    let sent = 0;
    // Each arrival takes one second of a worker, which costs one dollar.
    const target: LoadTarget = {
      send: () => {
        sent++;
        return Promise.resolve({ outcome: 'completed', endedAt: clock.now(), executionMs: 1_000 });
      },
      close: () => Promise.resolve(),
    };
    const { signal } = new AbortController();
    const seen: { last?: LoadProgress } = {};
    const ended = runLoad(
      {
        ...{ clock, target, spend: new Spend(3_600), cap: 5, idleTimeout: 0, drainMs: 1_000 },
        profile: { kind: 'rate', rate: 10, rampTo: 10, seconds: 4, arrivals: 'constant', seed: 1 },
        ...{ drain: signal, stop: signal, cancelsRest: () => false, onProgress: (progress) => (seen.last = progress) },
      },
      [],
    );
    for (let step = 0; seen.last?.isDraining !== true; step++) {
      assert.ok(step < 100, 'the cap does not end the load test');
      await new Promise((resolve) => setImmediate(resolve));
      time.advance(100);
    }
    const { end, usd, counts } = await ended;
    assert.deepEqual([end, usd, counts.completed, sent], ['cap', 5, 5, 5]);
  });

  it('fails with the error of an invalid request', async () => {
    const { clock } = steppedClock();
    const target: LoadTarget = {
      send: () => Promise.reject(new Error('invalid')),
      close: () => Promise.resolve(),
    };
    const { signal } = new AbortController();
    const ended = runLoad(
      {
        ...{ clock, target, spend: new Spend(undefined), idleTimeout: 0, drainMs: 1_000 },
        profile: { kind: 'trace', offsets: [0, 60_000] },
        ...{ drain: signal, stop: signal, cancelsRest: () => false, onProgress: () => undefined },
      },
      [],
    );
    await assert.rejects(ended, /invalid/);
  });
});
