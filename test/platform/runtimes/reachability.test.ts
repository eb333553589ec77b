import assert from 'node:assert/strict';
import { Reachability } from '../../../src/platform/runtimes/reachability.ts';
import { manualClock } from '../support.ts';

describe('The wait for an engine', () => {
  function waiting() {
    const clock = manualClock(0);
    const state = { answers: false };
    const probedAt: number[] = [];
    const reachability = new Reachability(() => {
      probedAt.push(clock.now());
      return state.answers ? Promise.resolve() : Promise.reject(new Error('no engine'));
    }, clock);
    const advance = async (ms: number): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { reachability, state, probedAt, advance };
  }

  it('ends for all once one probe is answered, with at most a probe every 2 s', async () => {
    const { reachability, state, probedAt, advance } = waiting();
    const { signal } = new AbortController();
    const waits = [reachability.until(signal), reachability.until(signal)];
    await advance(0);
    await advance(2_000);
    state.answers = true;
    await advance(2_000);
    await Promise.all(waits);
    const next = reachability.until(signal);
    await advance(2_000);
    await next;
    assert.deepEqual(probedAt, [0, 2_000, 4_000, 6_000]);
  });

  it('ends with its signal, and probes no more then', async () => {
    const { reachability, probedAt, advance } = waiting();
    const stop = new AbortController();
    const wait = reachability.until(stop.signal);
    await advance(0);
    stop.abort();
    await wait;
    await advance(10_000);
    assert.deepEqual(probedAt, [0]);
  });
});
