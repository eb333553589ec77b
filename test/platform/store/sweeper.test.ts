import assert from 'node:assert/strict';
import { pausedWhileFull, STORAGE_RETRY_MS } from '../../../src/platform/store/fullDisk.ts';
import { Sweeper } from '../../../src/platform/store/sweeper.ts';
import { manualClock } from '../support.ts';

const full = (): never => {
  throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('Sweeper', () => {
  let steps: number;
  beforeEach(() => (steps = 0));

  const clock = manualClock(0);
  /** Returns a sweeper with this number of steps. */
  const sweeperWith = (count: number, store?: ConstructorParameters<typeof Sweeper>[2]) =>
    new Sweeper(clock, () => ++steps < count, store);
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await nextTurn();
  };

  it('performs each step in a turn of its own, and can be woken again', async () => {
    const sweeper = sweeperWith(3);
    for (let call = 0; call < 2; call++) sweeper.wake();
    for (const expected of [0, 1, 2, 3, 3]) {
      assert.equal(steps, expected);
      await nextTurn();
    }
    sweeper.wake();
    await nextTurn();
    assert.equal(steps, 4);
  });

  it('empties the log after each 20th step, and continues even if that fails', async () => {
    const emptied: number[] = [];
    const emptyLog = () => {
      emptied.push(steps);
      return emptied.length === 1 ? Promise.reject(new Error('the fsync failed')) : Promise.resolve();
    };
    sweeperWith(45, { emptyLog }).wake();
    await turns(60);
    assert.deepEqual([steps, emptied], [45, [20, 40]]);
  });

  it('performs one last step when it is closed, also while the log is emptied', async () => {
    const emptying = Promise.withResolvers<void>();
    const sweeper = sweeperWith(Infinity, { emptyLog: () => emptying.promise });
    sweeper.wake();
    await turns(30);
    assert.equal(steps, 20);
    for (let call = 0; call < 2; call++) sweeper.close();
    emptying.resolve();
    sweeper.wake();
    await turns(5);
    assert.equal(steps, 21);
  });

  it('performs no step when it is closed without work', () => {
    sweeperWith(1).close();
    assert.equal(steps, 0);
  });

  it('pauses while the disk is full, and ends after another error', async () => {
    const failures = [full, full, () => assert.fail('damaged')];
    const sweeper = new Sweeper(clock, () => {
      steps++;
      failures.shift()?.();
      return false;
    });
    sweeper.wake();
    await turns(3);
    assert.equal(steps, 1);
    clock.advance(STORAGE_RETRY_MS - 1);
    assert.equal(steps, 1);
    clock.advance(1);
    assert.equal(steps, 2);
    assert.throws(() => clock.advance(STORAGE_RETRY_MS), /damaged/);
    assert.equal(steps, 3);
  });
});

describe('pausedWhileFull', () => {
  it('combines the calls during a pause after a full disk', () => {
    const clock = manualClock(0);
    let isFull = true;
    let runs = 0;
    const act = pausedWhileFull(clock, () => {
      runs++;
      if (isFull) full();
    });
    for (let call = 0; call < 3; call++) act();
    assert.equal(runs, 1);
    clock.advance(STORAGE_RETRY_MS);
    assert.equal(runs, 2);
    isFull = false;
    clock.advance(STORAGE_RETRY_MS);
    assert.equal(runs, 3);
    for (let call = 0; call < 2; call++) act();
    assert.equal(runs, 5);
  });
});
