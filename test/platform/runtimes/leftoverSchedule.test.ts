import assert from 'node:assert/strict';
import { LeftoverSchedule } from '../../../src/platform/runtimes/leftoverSchedule.ts';
import { manualClock } from '../support.ts';

describe('The search for leftovers', () => {
  function schedule(results: (() => Promise<void>)[] = []) {
    const clock = manualClock(0);
    const [at, failures]: [number[], unknown[]] = [[], []];
    const sweep = async (): Promise<void> => {
      at.push(clock.now());
      await results.shift()?.();
    };
    const searches = new LeftoverSchedule(sweep, { clock, onFailure: (error) => failures.push(error) });
    const advance = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { searches, at, failures, advance };
  }

  it('runs at the start, every 5 minutes, and 30 s after a failed start', async () => {
    const { searches, at, advance } = schedule();
    searches.start(() => []);
    await advance(0);
    await advance(300_000);
    searches.soon();
    searches.soon();
    await advance(30_000);
    await advance(300_000);
    assert.deepEqual(at, [0, 300_000, 330_000, 630_000]);
  });

  it('keeps its next turn if a start fails shortly before it', async () => {
    const { searches, at, advance } = schedule();
    searches.start(() => []);
    await advance(0);
    await advance(290_000);
    searches.soon();
    await advance(10_000);
    assert.deepEqual(at, [0, 300_000]);
  });

  it('continues after a failure, and reports the first one in a row', async () => {
    const fail = () => Promise.reject(new Error('no cluster'));
    const { searches, at, failures, advance } = schedule([fail, fail]);
    searches.start(() => []);
    await advance(0);
    await advance(300_000);
    await advance(300_000);
    assert.equal(at.length, 3);
    assert.equal(failures.length, 1);
  });

  it('does not run before its start and after its end', async () => {
    const { searches, at, advance } = schedule();
    searches.soon();
    await advance(300_000);
    searches.start(() => []);
    await advance(0);
    searches.close();
    searches.soon();
    await advance(600_000);
    assert.deepEqual(at, [300_000]);
  });
});
