import assert from 'node:assert/strict';
import {
  FAST_MS,
  isRunningOut,
  pauseAfter,
  pauseAfterFailure,
  planRound,
  SLOW_MS,
  type Readable,
} from '../../../src/account/endpoints/roundPlan.ts';

const NOW = 1_000_000;
const one = (id: string, changes: Partial<Readable> = {}): Readable => ({
  id,
  expanded: true,
  changing: false,
  readAt: NOW - 2_000,
  ...changes,
});
const state = (endpoints: Readable[], changes = {}) => ({
  endpoints,
  listedAt: NOW - 2_000,
  alert: false,
  sparing: false,
  ...changes,
});

describe('Polling round', () => {
  it('reads changing expanded endpoints fast and the others slowly', () => {
    const endpoints = [one('changing', { changing: true }), one('calm'), one('old', { readAt: NOW - SLOW_MS })];
    assert.deepEqual(planRound(state(endpoints), NOW), { list: false, ids: ['changing', 'old'] });
  });

  it('reads the list slowly, or immediately after a user action', () => {
    assert.equal(planRound(state([], { listedAt: NOW - SLOW_MS }), NOW).list, true);
    assert.equal(planRound(state([], { alert: true }), NOW).list, true);
    assert.equal(planRound(state([], { listedAt: undefined }), NOW).list, true);
  });

  it('reads collapsed endpoints in batches, starting with those that have never been read', () => {
    const closed = Array.from({ length: 1_000 }, (_, index) =>
      one(`e${index}`, { expanded: false, readAt: NOW - 100_000 - index }),
    );
    const { ids } = planRound(state([...closed, one('new', { expanded: false, readAt: undefined })]), NOW);
    assert.equal(ids.length, 20);
    assert.deepEqual(ids.slice(0, 2), ['new', 'e999']);
    assert.equal(planRound(state(closed, { sparing: true }), NOW).ids.length, 0);
  });

  it('is followed by a pause that depends on the remaining work', () => {
    assert.equal(pauseAfter(state([one('a')]), NOW), SLOW_MS);
    assert.equal(pauseAfter(state([one('a', { changing: true })]), NOW), FAST_MS);
    assert.equal(pauseAfter(state([one('a', { changing: true, expanded: false })]), NOW), SLOW_MS);
    assert.equal(pauseAfter(state([one('a', { expanded: false, readAt: undefined })]), NOW), 2_000);
    assert.equal(
      pauseAfter(state([one('a', { expanded: false, readAt: undefined })], { sparing: true }), NOW),
      SLOW_MS,
    );
    assert.equal(pauseAfter(state([], { alert: true }), NOW), FAST_MS);
  });

  it('is delayed by an exponential backoff of at most one minute after failures', () => {
    assert.deepEqual([1, 2, 3, 4, 9].map(pauseAfterFailure), [10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('skips collapsed endpoints if less than a quarter of the rate limit is left', () => {
    const resetsAt = NOW + 1;
    assert.equal(isRunningOut([{ remaining: 24, quota: 100, resetsAt }], NOW), true);
    assert.equal(isRunningOut([{ remaining: 25, quota: 100, resetsAt }], NOW), false);
    assert.equal(isRunningOut([{ remaining: 0, quota: 100, resetsAt: NOW - 1 }], NOW), false);
    assert.equal(isRunningOut([{ remaining: 0 }], NOW), false);
  });
});
