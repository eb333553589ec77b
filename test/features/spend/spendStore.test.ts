import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { SpendStore } from '../../../src/features/spend/spendStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';
import { eventually } from '../../platform/support.ts';
import { steppedClock } from '../steppedClock.ts';
import { dailyReport } from './sample.ts';

const REPORT = dailyReport({ '2026-03-02': 2, '2026-03-03': 1 }, '2026-03-04T00:00:00Z');
const MINUTE = 60_000;

const problem = (status: number) => ({ title: 'No', status, detail: 'not now' });

async function watch(script: Script) {
  const server = await startScriptedServer(script);
  const changed = new Emitter<void>();
  const connections = { client: server.client as Client | undefined, onDidChange: changed.event };
  const time = steppedClock();
  const logged: string[] = [];
  const log = { info: (text: string) => void logged.push(text), debug: () => undefined };
  const store = new SpendStore({ connections, clock: time.clock, log });
  store.setFocused(true);
  return {
    ...{ store, time, logged },
    received: server.received,
    use: (client: Client | undefined) => {
      connections.client = client;
      changed.fire();
    },
    client: server.client,
    rested: () => eventually('the store waits', () => time.sleeping === 1),
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Responds with a status, or with the report for 200. `answer.status` can change. */
function scripted(status: number, headers: Readonly<Record<string, string>> = {}) {
  const answer = { status };
  const script: Script = (_, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (answer.status === 200) json(response, 200, REPORT);
    else json(response, answer.status, problem(answer.status), 'application/problem+json');
  };
  return { answer, script };
}

describe('SpendStore', () => {
  it('reads nothing until the spend is needed, and then every five minutes', async () => {
    await using watched = await watch(scripted(200).script);
    const { store, received, time, rested } = watched;
    assert.equal(received.length, 0);
    store.setVisible(true);
    await rested();
    assert.deepEqual(
      received.map(({ path }) => path),
      ['/v2/billing?bucketSize=day&lastN=62'],
    );
    assert.deepEqual([store.state.spend?.today, store.state.spend?.month, store.state.error], [1, 3, undefined]);
    time.advance(5 * MINUTE - 1);
    assert.equal(received.length, 1);
    time.advance(1);
    await eventually('the spend is read again', () => received.length === 2 && time.sleeping === 1);
    store.setVisible(false);
    time.advance(60 * MINUTE);
    assert.equal(received.length, 2);
  });

  it('does not read again when the window regains the focus early', async () => {
    await using watched = await watch(scripted(200).script);
    const { store, received, time, rested } = watched;
    store.setVisible(true);
    await rested();
    store.setFocused(false);
    store.setFocused(true);
    await rested();
    assert.equal(received.length, 1);
    store.setFocused(false);
    time.advance(6 * MINUTE);
    store.setFocused(true);
    await eventually('the spend is read again', () => received.length === 2);
  });

  for (const status of [401, 403, 404]) {
    it(`stops after ${status} with one line in the log, until it is refreshed or the connection changes`, async () => {
      const { answer, script } = scripted(status);
      await using watched = await watch(script);
      const { store, received, time, logged, rested } = watched;
      store.setVisible(true);
      await rested();
      assert.equal(logged.length, 1);
      store.setFocused(false);
      time.advance(24 * 60 * MINUTE);
      store.setFocused(true);
      await rested();
      assert.equal(received.length, 1);
      answer.status = 200;
      store.refresh();
      await eventually('the spend is read', () => store.state.spend !== undefined);
      assert.equal(store.state.error, undefined);
      assert.equal(logged.length, 1);
    });
  }

  it('waits as long as a 429 says, and keeps the last spend', async () => {
    const { answer, script } = scripted(200, { 'Retry-After': '600' });
    await using watched = await watch(script);
    const { store, received, time, logged, rested } = watched;
    store.setVisible(true);
    await rested();
    answer.status = 429;
    time.advance(5 * MINUTE);
    await eventually('the platform refuses', () => store.state.error?.kind === 'rateLimited' && time.sleeping === 1);
    assert.equal(store.state.spend?.month, 3);
    time.advance(10 * MINUTE - 1);
    assert.equal(received.length, 2);
    answer.status = 200;
    time.advance(1);
    await eventually('the spend is read again', () => store.state.error === undefined);
    assert.deepEqual(logged, []);
  });

  it('retries with a growing delay while the platform cannot be reached', async () => {
    await using watched = await watch((_, response) => void response.destroy());
    const { store, received, time, rested } = watched;
    store.setVisible(true);
    await rested();
    assert.equal(store.state.error?.kind, 'network');
    const delays = [5, 10, 20].map((seconds) => seconds * 1_000);
    for (const [index, delay] of delays.entries()) {
      time.advance(delay - 1);
      assert.equal(received.length, index + 1);
      time.advance(1);
      await eventually('another try', () => received.length === index + 2 && time.sleeping === 1);
    }
  });

  it('never shows the spend of another connection', async () => {
    const held: (() => void)[] = [];
    await using watched = await watch((_, response) => void held.push(() => json(response, 200, REPORT)));
    const { store, use } = watched;
    store.setVisible(true);
    await eventually('the first request', () => held.length === 1);
    use(undefined);
    held[0]?.();
    assert.equal(store.state.spend, undefined);
    use(watched.client);
    await eventually('the second request', () => held.length === 2);
    held[1]?.();
    await eventually('the spend is read', () => store.state.spend?.today === 1);
    use(undefined);
    assert.equal(store.state.spend, undefined);
  });
});
