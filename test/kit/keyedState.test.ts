import assert from 'node:assert/strict';
import * as z from 'zod';
import { KeyedState, keepStateOf, stateKey } from '../../src/kit/keyedState.ts';
import { memento } from '../features/jobs/memento.ts';

const OPTIONS = { name: 'jobs', schema: z.number(), max: 3 };
const KEY = stateKey('c', 'jobs');

/**
 * Creates the storage of two windows, as the editor has it: a window stores all of its values at once, and receives those of the other one
 * later.
 */
function windows() {
  let disk = '{}';
  const queue: (() => void)[] = [];
  const open = () => {
    let values = JSON.parse(disk) as Record<string, unknown>;
    return {
      receive: () => void (values = JSON.parse(disk) as Record<string, unknown>),
      keys: () => Object.keys(values),
      get: (key: string) => values[key],
      update: (key: string, value: unknown) => {
        values = JSON.parse(JSON.stringify({ ...values, [key]: value })) as Record<string, unknown>;
        const all = JSON.stringify(values);
        queue.push(() => (disk = all));
        return Promise.resolve();
      },
    };
  };
  const [one, two] = [open(), open()];
  /** Stores the values of the windows in the order of their changes. The last one overwrites the others. */
  const settle = () => {
    for (const store of queue.splice(0)) store();
    one.receive();
    two.receive();
  };
  return { one, two, settle };
}

function twoWindows() {
  const { one, two, settle } = windows();
  const clock = { now: 1_000 };
  const create = (storage: typeof one) => new KeyedState(storage, OPTIONS, () => clock.now);
  const [first, second] = [create(one), create(two)];
  const entriesOf = (state: KeyedState<number>) => Object.fromEntries(state.entries('c'));
  return { first, second, settle, clock, storages: [one, two] as const, entriesOf };
}

describe('the entries of two windows', () => {
  it('are merged if both windows change them at the same time', async () => {
    const { first, second, settle, entriesOf } = twoWindows();
    await first.put('c', 'a', 1);
    settle();
    await first.put('c', 'b', 2);
    await second.put('c', 'x', 3);
    settle();
    assert.deepEqual(entriesOf(first), { a: 1, x: 3, b: 2 });
    settle();
    assert.deepEqual(entriesOf(second), { a: 1, x: 3, b: 2 });
    settle();
    assert.deepEqual(entriesOf(first), { a: 1, x: 3, b: 2 });
  });

  it('have the later of two values', async () => {
    const { first, second, settle, clock, entriesOf } = twoWindows();
    await first.put('c', 'a', 1);
    settle();
    clock.now += 20;
    await second.put('c', 'a', 3);
    clock.now -= 10;
    await first.put('c', 'a', 2);
    settle();
    assert.deepEqual([entriesOf(second), entriesOf(first)], [{ a: 3 }, { a: 2 }]);
    settle();
    assert.deepEqual([entriesOf(first), entriesOf(second)], [{ a: 3 }, { a: 3 }]);
  });

  it('agree on one of two values of the same time', async () => {
    const { first, second, settle, entriesOf } = twoWindows();
    await first.put('c', 'a', 1);
    await second.put('c', 'a', 2);
    settle();
    assert.deepEqual([entriesOf(first), entriesOf(second)], [{ a: 2 }, { a: 2 }]);
  });

  it('stay removed', async () => {
    const { first, second, settle, clock, entriesOf, storages } = twoWindows();
    await first.put('c', 'a', 1);
    await first.put('c', 'b', 2);
    settle();
    clock.now++;
    await second.remove('c', ['a']);
    settle();
    assert.deepEqual([entriesOf(first), entriesOf(second)], [{ b: 2 }, { b: 2 }]);
    clock.now += 60_000;
    await first.put('c', 'b', 3);
    assert.deepEqual(
      storages[0].get(KEY),
      [{ key: 'b', time: clock.now, value: 3 }],
      'the mark of the removal is gone',
    );
  });

  it('have the last value if the clock is set back', async () => {
    const { first, second, settle, clock, entriesOf } = twoWindows();
    await first.put('c', 'a', 1);
    settle();
    clock.now -= 100;
    await second.put('c', 'a', 2);
    settle();
    assert.deepEqual([entriesOf(first), entriesOf(second)], [{ a: 2 }, { a: 2 }]);
  });

  it('are stored again only for a minute', async () => {
    const { first, second, settle, clock, entriesOf } = twoWindows();
    await first.put('c', 'a', 1);
    settle();
    await first.put('c', 'b', 2);
    await second.put('c', 'x', 3);
    settle();
    clock.now += 60_000;
    assert.deepEqual(entriesOf(first), { a: 1, x: 3 });
  });

  it('stay deleted with their connection', async () => {
    const { first, settle, entriesOf, storages } = twoWindows();
    await first.put('c', 'a', 1);
    settle();
    await keepStateOf([], storages[1]);
    settle();
    assert.deepEqual(entriesOf(first), {});
    await first.put('c', 'b', 2);
    assert.deepEqual(entriesOf(first), { b: 2 });
  });
});

describe('the entries of a connection', () => {
  it('are in the order in which they were added, separate for each connection', async () => {
    const state = new KeyedState(memento(), OPTIONS);
    const changed: string[] = [];
    state.onDidChange((id) => changed.push(`${id} ${state.entries(id).size}`));
    await state.put('c', 'a', 1);
    await state.put('c', 'b', 2);
    await state.put('c', 'a', 3);
    await state.put('d', 'a', 4);
    assert.deepEqual([...state.entries('c')], [['a', 3], ['b', 2]]); // prettier-ignore
    await state.change('c', [
      ['a', undefined],
      ['c', 5],
    ]);
    await state.put('c', 'a', 6);
    assert.deepEqual([...state.entries('c').keys()], ['b', 'c', 'a']);
    assert.deepEqual([state.get('d', 'a'), state.get('d', 'b')], [4, undefined]);
    assert.deepEqual(changed, ['c 1', 'c 2', 'c 2', 'd 1', 'c 2', 'c 3']);
  });

  it('are limited, and the one that was not written for the longest time is dropped', async () => {
    let now = 0;
    const storage = memento();
    let writes = 0;
    const update = (...change: Parameters<typeof storage.update>) => {
      writes++;
      return storage.update(...change);
    };
    const state = new KeyedState({ ...storage, update }, OPTIONS, () => now++);
    for (const key of ['a', 'b', 'c', 'a']) assert.deepEqual(await state.put('c', key, 1), []);
    assert.deepEqual(await state.put('c', 'd', 1), ['b']);
    assert.deepEqual([...state.entries('c').keys()], ['a', 'c', 'd']);
    assert.deepEqual([(storage.get(KEY) as readonly unknown[]).length, writes], [3, 5]);
  });

  it('do not include those that this version cannot read, which stay stored', async () => {
    const storage = memento();
    const [unknown, broken] = [{ key: 'later', time: 1, value: { number: 1 } }, 'broken'];
    await storage.update(KEY, [unknown, broken]);
    const state = new KeyedState(storage, OPTIONS, () => 5);
    assert.deepEqual([...state.entries('c')], []);
    assert.equal(state.get('c', 'later'), undefined);
    await state.put('c', 'a', 1);
    assert.deepEqual(storage.get(KEY), [unknown, { key: 'a', time: 5, value: 1 }]);
  });

  it('are none if the stored value has another form', () => {
    const storage = memento();
    for (const value of ['text', { a: 1 }, 1, null]) {
      void storage.update(KEY, value);
      assert.deepEqual([...new KeyedState(storage, OPTIONS).entries('c')], [], JSON.stringify(value));
    }
  });

  it('are in memory when the storage fails, and are stored by the next access', async () => {
    const storage = memento();
    await storage.update(KEY, []);
    let fails = true;
    const update = (key: string, value: unknown) =>
      fails ? Promise.reject(new Error('The disk is full.')) : storage.update(key, value);
    const state = new KeyedState({ ...storage, update }, OPTIONS);
    await assert.rejects(state.put('c', 'a', 1), /disk is full/);
    assert.equal(state.get('c', 'a'), 1);
    fails = false;
    assert.equal(state.get('c', 'a'), 1);
    assert.equal((storage.get(KEY) as readonly unknown[]).length, 1);
  });
});
