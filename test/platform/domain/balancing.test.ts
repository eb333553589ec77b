import assert from 'node:assert/strict';
import { chooseWorker, parseAffinity, type Candidate } from '../../../src/platform/domain/balancing.ts';

const worker = (id: string, load: number, lastGiven = 0, ready = true): Candidate => ({ id, load, lastGiven, ready });
const chosen = (workers: readonly Candidate[], affinity?: string): string => {
  const choice = chooseWorker(workers, parseAffinity(affinity));
  return typeof choice === 'string' ? choice : choice.id;
};

describe('The choice of a worker for a request', () => {
  it('is the one with the fewest requests, of equal ones the one that has waited longest', () => {
    assert.equal(chosen([worker('a', 2), worker('b', 1), worker('c', 3)]), 'b');
    assert.equal(chosen([worker('a', 1, 9), worker('b', 1, 3), worker('c', 1, 5)]), 'b');
  });

  it('is only among those that are ready', () => {
    assert.equal(chosen([worker('a', 0, 0, false), worker('b', 7)]), 'b');
    assert.equal(chosen([worker('a', 0, 0, false)]), 'none yet');
    assert.equal(chosen([]), 'none yet');
  });

  it('follows a preference when it can', () => {
    assert.equal(chosen([worker('a', 0), worker('b', 7)], 'b'), 'b');
    assert.equal(chosen([worker('a', 0), worker('b', 7, 0, false)], 'b'), 'a');
    assert.equal(chosen([worker('a', 0)], 'gone'), 'a');
    assert.equal(chosen([], 'gone'), 'none yet');
  });

  it('follows an insistence even when it cannot', () => {
    assert.equal(chosen([worker('a', 0), worker('b', 7)], 'strict b'), 'b');
    assert.equal(chosen([worker('a', 0), worker('b', 7, 0, false)], 'strict b'), 'none yet');
    assert.equal(chosen([worker('a', 0)], 'strict b'), 'gone');
    assert.equal(chosen([worker('a', 0)], 'strict-resume b'), 'gone');
  });

  it('ignores wishes that are none', () => {
    for (const header of [undefined, '', '  ', 'strict b c', 'rather b']) {
      assert.equal(parseAffinity(header), undefined, header);
    }
    assert.deepEqual(parseAffinity('  STRICT   b '), { mode: 'strict', workerId: 'b' });
    assert.deepEqual(parseAffinity('strict-resume b'), { mode: 'resume', workerId: 'b' });
    assert.deepEqual(parseAffinity('strict'), { mode: 'prefer', workerId: 'strict' }, 'an id like any other');
  });
});
