import assert from 'node:assert/strict';
import { SharedPulls, type PullCaller } from '../../../../src/platform/runtimes/container/imagePulls.ts';

describe('SharedPulls', () => {
  let pulls: SharedPulls<string, number>;
  let started: (PullCaller<number> & { readonly end: PromiseWithResolvers<string> })[];

  beforeEach(() => {
    pulls = new SharedPulls();
    started = [];
  });

  /** Joins a pull, which ends when the test ends it. */
  function join(key: string) {
    const abort = new AbortController();
    const progress: number[] = [];
    const caller = { signal: abort.signal, onProgress: (percent: number) => void progress.push(percent) };
    const result = pulls.join(key, caller, (together) => {
      const end = Promise.withResolvers<string>();
      together.signal.addEventListener('abort', () => end.reject(together.signal.reason as Error));
      started.push({ ...together, end });
      return end.promise;
    });
    result.catch(() => undefined);
    return { abort, progress, result };
  }

  const turn = (): Promise<void> => new Promise(setImmediate);

  it('share a pull, its progress, and its result', async () => {
    const first = join('a');
    await turn();
    started[0]?.onProgress(10);
    const second = join('a');
    started[0]?.onProgress(20);
    started[0]?.end.resolve('image');
    assert.deepEqual(await Promise.all([first.result, second.result]), ['image', 'image']);
    assert.equal(started.length, 1);
    assert.deepEqual(
      [first.progress, second.progress],
      [
        [10, 20],
        [10, 20],
      ],
    );
  });

  it('keep pulls with other keys apart', async () => {
    const [first, second] = [join('a'), join('b')];
    await turn();
    assert.equal(started.length, 2);
    started[1]?.end.resolve('second');
    started[0]?.end.resolve('first');
    assert.deepEqual(await Promise.all([first.result, second.result]), ['first', 'second']);
  });

  it('continue until the last caller leaves', async () => {
    const [first, second] = [join('a'), join('a')];
    await turn();
    first.abort.abort(new Error('first left'));
    await assert.rejects(first.result, /first left/);
    assert.equal(started[0]?.signal.aborted, false);
    second.abort.abort(new Error('second left'));
    await assert.rejects(second.result, /second left/);
    assert.equal(started[0].signal.aborted, true);
  });

  it('start again after they were aborted, although the old pull has not ended', async () => {
    const first = join('a');
    await turn();
    first.abort.abort(new Error('left'));
    const second = join('a');
    await turn();
    assert.equal(started.length, 2);
    started[1]?.end.resolve('again');
    assert.equal(await second.result, 'again');
  });

  it('fail for all callers, and start again for the next one', async () => {
    const [first, second] = [join('a'), join('a')];
    await turn();
    started[0]?.end.reject(new Error('no space'));
    await assert.rejects(first.result, /no space/);
    await assert.rejects(second.result, /no space/);
    void join('a');
    await turn();
    assert.equal(started.length, 2);
  });
});
