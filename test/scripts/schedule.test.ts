import assert from 'node:assert/strict';
import { schedule, type Task } from '../../scripts/schedule.ts';

describe('schedule', () => {
  let started: string[];
  let ends: Map<string, { resolve: (result: string) => void; reject: (error: Error) => void }>;

  beforeEach(() => {
    started = [];
    ends = new Map();
  });

  function task(name: string, cores: number, needs?: string): Task<string> {
    return {
      name,
      cores,
      ...(needs === undefined ? {} : { needs }),
      run: (needed) => {
        started.push(needed === undefined ? name : `${name} after ${needed}`);
        const { promise, ...end } = Promise.withResolvers<string>();
        ends.set(name, end);
        return promise;
      },
    };
  }

  /** Ends a running task and waits until the tasks that can start have started. */
  async function end(name: string): Promise<void> {
    ends.get(name)?.resolve(`the result of ${name}`);
    await settled();
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('runs tasks in parallel and in order while cores are free', async () => {
    const results = schedule([task('a', 1), task('b', 1), task('c', 1)], 2);
    await settled();
    assert.deepEqual(started, ['a', 'b']);
    await end('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
    await end('c');
    await end('a');
    assert.deepEqual(await Promise.all(results), ['the result of a', 'the result of b', 'the result of c']);
  });

  it('starts no later task while a task waits for its cores', async () => {
    void schedule([task('a', 1), task('b', 2), task('c', 1)], 2);
    await settled();
    assert.deepEqual(started, ['a']);
    await end('a');
    assert.deepEqual(started, ['a', 'b']);
    await end('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  it('starts a task that mostly waits in its turn, beside tasks that keep all cores busy', async () => {
    const results = schedule([task('a', 2), task('waiting', 0), task('b', 2)], 2);
    await settled();
    assert.deepEqual(started, ['a', 'waiting']);
    await end('a');
    assert.deepEqual(started, ['a', 'waiting', 'b']);
    await end('b');
    await end('waiting');
    await Promise.all(results);
  });

  it('runs a task alone if it needs more cores than exist', async () => {
    void schedule([task('a', 1), task('b', 3), task('c', 1)], 2);
    await end('a');
    await end('a');
    assert.deepEqual(started, ['a', 'b']);
    await end('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  it('starts a task with the result of the task that it needs', async () => {
    void schedule([task('a', 1), task('b', 1, 'a')], 2);
    await settled();
    assert.deepEqual(started, ['a']);
    await end('a');
    assert.deepEqual(started, ['a', 'b after the result of a']);
  });

  it('frees the cores of a failed task, and fails the tasks that need it', async () => {
    const [first, second] = schedule([task('a', 2), task('b', 1, 'a'), task('c', 2)], 2);
    await settled();
    ends.get('a')?.reject(new Error('a failed'));
    await assert.rejects(first ?? Promise.resolve(), /a failed/);
    await assert.rejects(second ?? Promise.resolve(), /a failed/);
    await settled();
    assert.deepEqual(started, ['a', 'c']);
  });
});
