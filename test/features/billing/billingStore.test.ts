import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { BillingStore } from '../../../src/features/billing/billingStore.ts';
import { Emitter } from '../../../src/vscode/emitter.ts';
import { json, startScriptedServer, type Script } from '../../client/scriptedServer.ts';
import { eventually } from '../../platform/support.ts';
import { response } from '../../webviews/billing/sample.ts';
import { steppedClock } from '../steppedClock.ts';

const day = response('hour', '2025-11-20T15:00Z', [{ serverlessCpuAmount: 1 }]);
const answerDay: Script = (_, answer) => json(answer, 200, day);

/** Creates a store with a scripted server, in a window that has the focus. */
async function watch(script: Script) {
  const server = await startScriptedServer(script);
  const changed = new Emitter<void>();
  const connection = { client: server.client as Client | undefined, onDidChange: changed.event };
  const time = steppedClock();
  const store = new BillingStore(connection, time.clock);
  store.setFocused(true);
  return {
    store,
    time,
    received: server.received,
    use: (client: Client | undefined) => {
      connection.client = client;
      changed.fire();
    },
    until: (what: string, condition: () => boolean) => eventually(what, condition),
    [Symbol.asyncDispose]: async () => {
      store.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('BillingStore', () => {
  it('reads as soon as the view is visible, and again every 15 seconds', async () => {
    await using watched = await watch(answerDay);
    const { store, received, until, time } = watched;
    assert.equal(received.length, 0);
    store.setVisible(true);
    await until('the store waits', () => time.sleeping === 1);
    assert.deepEqual(
      received.map((one) => one.path),
      ['/v2/billing?bucketSize=hour&lastN=24'],
    );
    time.advance(14_999);
    assert.equal(received.length, 1);
    time.advance(1);
    await until('the store waits again', () => received.length === 2 && time.sleeping === 1);
    store.setVisible(false);
    time.advance(60_000);
    assert.equal(received.length, 2);
    assert.equal(time.sleeping, 0);
  });

  it('requests a new range and never shows the spend of the previous one', async () => {
    const held: (() => void)[] = [];
    await using watched = await watch((_, answer) => void held.push(() => json(answer, 200, day)));
    const { store, received, until } = watched;
    store.setVisible(true);
    await until('the first range is requested', () => held.length === 1);
    store.setRange('year');
    assert.deepEqual([store.state.report, store.state.range], [undefined, 'year']);
    await until('the second range is requested', () => held.length === 2);
    held[0]?.();
    assert.equal(store.state.busy, true);
    held[1]?.();
    await until('the spend is read', () => store.state.report !== undefined);
    assert.equal(received.at(-1)?.path, '/v2/billing?bucketSize=month&lastN=12');
  });

  it('keeps the last spend when the next request fails', async () => {
    const problem = { title: 'Forbidden', status: 403, detail: 'access denied' };
    let refused = false;
    await using watched = await watch((request, answer) =>
      refused ? json(answer, 403, problem, 'application/problem+json') : answerDay(request, answer),
    );
    const { store, until } = watched;
    store.setVisible(true);
    await until('the spend is read', () => store.state.report !== undefined);
    refused = true;
    store.refresh();
    await until('the request fails', () => store.state.error !== undefined);
    assert.equal(store.state.error?.kind, 'forbidden');
    assert.deepEqual(store.state.report?.response.records, day.records);
  });

  it('does not show the spend of one connection for another', async () => {
    await using watched = await watch(answerDay);
    const { store, until, use } = watched;
    store.setVisible(true);
    await until('the spend is read', () => store.state.report !== undefined);
    use(undefined);
    assert.deepEqual([store.state.report, store.state.busy], [undefined, false]);
  });

  it('aborts the request when the window loses the focus, and reads again when it regains the focus', async () => {
    const held: (() => void)[] = [];
    await using watched = await watch((_, answer) => void held.push(() => json(answer, 200, day)));
    const { store, until } = watched;
    store.setVisible(true);
    await until('the spend is requested', () => held.length === 1);
    store.setFocused(false);
    await until('the request is aborted', () => !store.state.busy);
    assert.deepEqual([store.state.report, store.state.error], [undefined, undefined]);
    store.setFocused(true);
    await until('the spend is requested again', () => held.length === 2);
    held[1]?.();
    await until('the spend is read', () => store.state.report !== undefined);
  });
});
