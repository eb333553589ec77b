import assert from 'node:assert/strict';
import { chooseWorker, parseAffinity, type Candidate } from '../../../src/platform/domain/balancing.ts';

const worker = (id: string, load: number, lastAssigned = 0, ready = true): Candidate => ({
  id,
  load,
  lastAssigned,
  ready,
});
const chosen = (workers: readonly Candidate[], affinity?: string): string => {
  const choice = chooseWorker(workers, parseAffinity(affinity));
  return typeof choice === 'string' ? choice : choice.id;
};

describe('chooseWorker', () => {
  it('selects the worker with the fewest requests, then the one with the longest wait, then the first', () => {
    assert.equal(chosen([worker('a', 2), worker('b', 1), worker('c', 3)]), 'b');
    assert.equal(chosen([worker('a', 1, 9), worker('b', 1, 3), worker('c', 1, 5)]), 'b');
    assert.equal(chosen([worker('a', 0), worker('b', 0)]), 'a');
  });

  it('selects only workers that are ready', () => {
    assert.equal(chosen([worker('a', 0, 0, false), worker('b', 7)]), 'b');
    assert.equal(chosen([worker('a', 0, 0, false)]), 'none yet');
    assert.equal(chosen([]), 'none yet');
  });

  it('follows a preference if the worker is ready', () => {
    assert.equal(chosen([worker('a', 0), worker('b', 7)], 'b'), 'b');
    assert.equal(chosen([worker('a', 0), worker('b', 7, 0, false)], 'b'), 'a');
    assert.equal(chosen([worker('a', 0)], 'gone'), 'a');
    assert.equal(chosen([], 'gone'), 'none yet');
  });

  it('follows a requirement even if the worker is not ready', () => {
    assert.equal(chosen([worker('a', 0), worker('b', 7)], 'strict b'), 'b');
    assert.equal(chosen([worker('a', 0), worker('b', 7, 0, false)], 'strict b'), 'none yet');
    assert.equal(chosen([worker('a', 0)], 'strict b'), 'gone');
    assert.equal(chosen([worker('a', 0)], 'strict-resume b'), 'gone');
  });

  it('ignores invalid affinity headers', () => {
    for (const header of [undefined, '', '  ', 'strict b c', 'rather b']) {
      assert.equal(parseAffinity(header), undefined, header);
    }
    assert.deepEqual(parseAffinity('  STRICT   b '), { mode: 'strict', workerId: 'b' });
    assert.deepEqual(parseAffinity('strict-resume b'), { mode: 'resume', workerId: 'b' });
    assert.deepEqual(parseAffinity('strict'), { mode: 'prefer', workerId: 'strict' }, 'a single word is an ID');
  });

  it('ignores a mode with the name of an inherited member', () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      assert.equal(parseAffinity(`${name} b`), undefined, name);
      assert.equal(chosen([worker('a', 0)], `${name} b`), 'a', name);
    }
  });
});
