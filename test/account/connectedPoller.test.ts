import assert from 'node:assert/strict';
import { ApiError } from '../../src/client/apiError.ts';
import { createClient, type Client } from '../../src/client/client.ts';
import { ConnectedPoller, type ConnectedPlatform } from '../../src/account/connectedPoller.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { steppedClock } from '../features/steppedClock.ts';

const clientNamed = (name: string) => {
  const origin = `http://${name}.invalid`;
  const addresses = { baseUrl: origin, restUrl: origin, queueUrl: origin, endpointHost: origin };
  return createClient({ connection: { ...addresses, apiKey: 'the-key' }, fetch: globalThis.fetch });
};
const one = clientNamed('one');
const two = clientNamed('two');

const FAST_MS = 1_000;
const SLOW_MS = 10_000;

/** Resolves once all pending promise callbacks have run. */
const flushPromises = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A poller that is connected to `one`. Rounds end when the test ends them. */
function connectedPoller() {
  const changed = new Emitter<void>();
  const connections = { client: one as Client | undefined, onDidChange: changed.event };
  const time = steppedClock();
  const rounds: (ConnectedPlatform & { readonly end: () => void })[] = [];
  const log: string[] = [];
  const state = { interval: SLOW_MS as number | undefined };
  const poller = new ConnectedPoller({
    connections,
    clock: time.clock,
    poll: (platform) => {
      log.push(platform.client === one ? 'poll one' : 'poll two');
      return new Promise((resolve) => rounds.push({ ...platform, end: resolve }));
    },
    interval: () => state.interval,
    onConnection: () => log.push('other connection'),
  });
  return {
    poller,
    rounds,
    log,
    time,
    state,
    connect: (client: Client | undefined) => {
      connections.client = client;
      changed.fire();
    },
    endRound: async () => {
      rounds.at(-1)?.end();
      await flushPromises();
    },
  };
}

type Setup = ReturnType<typeof connectedPoller>;

function activePoller(): Setup {
  const setup = connectedPoller();
  setup.poller.setFocused(true);
  setup.poller.setVisible(true);
  return setup;
}

describe('Poller of the connected platform', () => {
  for (const [missing, prepare] of [
    ['a client', ({ connect }: Setup) => connect(undefined)],
    ['a visible view', ({ poller }: Setup) => poller.setVisible(false)],
    ['the focus', ({ poller }: Setup) => poller.setFocused(false)],
  ] as const)
    it(`does not poll without ${missing}`, async () => {
      const setup = connectedPoller();
      setup.poller.setVisible(true);
      prepare(setup);
      if (missing !== 'the focus') setup.poller.setFocused(true);
      setup.time.advance(3_600_000);
      await flushPromises();
      assert.deepEqual(setup.rounds, []);
    });

  it('polls at once with a client, a visible view, and the focus, and again after each interval', async () => {
    const { rounds, time, state, endRound } = activePoller();
    assert.equal(rounds.length, 1);
    await endRound();
    time.advance(SLOW_MS - 1);
    await flushPromises();
    assert.equal(rounds.length, 1);
    state.interval = FAST_MS;
    time.advance(1);
    await flushPromises();
    await endRound();
    time.advance(FAST_MS);
    await flushPromises();
    assert.equal(rounds.length, 3);
  });

  for (const [loss, lose, regain] of [
    [
      'the view is hidden',
      ({ poller }: Setup) => poller.setVisible(false),
      ({ poller }: Setup) => poller.setVisible(true),
    ],
    [
      'the window loses the focus',
      ({ poller }: Setup) => poller.setFocused(false),
      ({ poller }: Setup) => poller.setFocused(true),
    ],
  ] as const) {
    it(`aborts the round when ${loss}, and polls at once afterward`, async () => {
      const setup = activePoller();
      const { rounds, time, log, endRound } = setup;
      lose(setup);
      assert.equal(rounds[0]?.signal.aborted, true);
      await endRound();
      assert.equal(time.sleeping, 0);
      regain(setup);
      assert.equal(rounds.length, 2);
      assert.equal(rounds[1]?.signal.aborted, false);
      assert.deepEqual(log, ['poll one', 'poll one']);
    });

    it(`ends the pause between rounds when ${loss}`, async () => {
      const setup = activePoller();
      await setup.endRound();
      assert.equal(setup.time.sleeping, 1);
      lose(setup);
      await flushPromises();
      assert.equal(setup.time.sleeping, 0);
      regain(setup);
      assert.equal(setup.rounds.length, 2);
    });
  }

  it('aborts the round of a client that is replaced, and polls the new client', () => {
    const { poller, rounds, log, connect } = activePoller();
    const before = poller.platform;
    connect(two);
    assert.equal(rounds[0]?.signal.aborted, true);
    assert.equal(before?.signal.aborted, true);
    assert.deepEqual(log, ['poll one', 'other connection', 'poll two']);
    assert.equal(poller.platform?.client, two);
    assert.equal(poller.platform.signal.aborted, false);
  });

  it('aborts the round on disconnection, and polls after the next connection', () => {
    const { poller, rounds, log, connect } = activePoller();
    connect(undefined);
    assert.equal(rounds[0]?.signal.aborted, true);
    assert.equal(poller.platform, undefined);
    connect(one);
    assert.deepEqual(log, ['poll one', 'other connection', 'other connection', 'poll one']);
  });

  it('reports another connection even while the view is hidden', () => {
    const { log, connect } = connectedPoller();
    connect(two);
    assert.deepEqual(log, ['other connection']);
  });

  it('polls at once when another request finds that the connection fails, and when one succeeds again', async () => {
    const { rounds, endRound } = activePoller();
    await endRound();
    one.health.record(new ApiError('network', 'refused', { operation: 'getJobStatus' }));
    await flushPromises();
    assert.equal(rounds.length, 2);
    await endRound();
    one.health.record(undefined);
    await flushPromises();
    assert.equal(rounds.length, 3);
  });

  it('does not repeat a round that finds a failure itself', async () => {
    const { rounds, endRound } = activePoller();
    one.health.record(new ApiError('timeout', 'late', { operation: 'listEndpoints' }));
    await endRound();
    one.health.record(undefined);
    assert.equal(rounds.length, 1);
  });

  it('ignores a change that keeps the client', () => {
    const { rounds, log, connect } = activePoller();
    connect(one);
    assert.equal(rounds[0]?.signal.aborted, false);
    assert.deepEqual(log, ['poll one']);
  });

  it('does not abort the signal of the platform when only polling stops', () => {
    const { poller } = activePoller();
    const signal = poller.platform?.signal;
    poller.setVisible(false);
    assert.equal(signal?.aborted, false);
  });

  it('pauses without an interval until it is woken', async () => {
    const { poller, rounds, time, state, endRound } = activePoller();
    state.interval = undefined;
    await endRound();
    time.advance(3_600_000);
    await flushPromises();
    assert.equal(rounds.length, 1);
    poller.wake();
    await flushPromises();
    assert.equal(rounds.length, 2);
  });

  it('does not wake while polling is stopped', async () => {
    const { poller, rounds } = connectedPoller();
    poller.wake();
    await flushPromises();
    assert.deepEqual(rounds, []);
  });

  it('aborts the round and begins another one on restart', () => {
    const { poller, rounds } = activePoller();
    poller.restart();
    assert.deepEqual(
      rounds.map(({ signal }) => signal.aborted),
      [true, false],
    );
  });

  it('does not begin a round on restart while the view is hidden', () => {
    const { poller, rounds } = connectedPoller();
    poller.restart();
    assert.deepEqual(rounds, []);
  });

  it('aborts all signals on disposal, and neither polls nor reports afterward', () => {
    const { poller, rounds, log, connect } = activePoller();
    const signal = poller.platform?.signal;
    poller.dispose();
    connect(two);
    poller.setVisible(true);
    assert.deepEqual([rounds[0]?.signal.aborted, signal?.aborted, poller.platform], [true, true, undefined]);
    assert.deepEqual(log, ['poll one']);
  });
});
