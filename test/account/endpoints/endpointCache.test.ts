import assert from 'node:assert/strict';
import { EndpointCache, NOTHING } from '../../../src/account/endpoints/endpointCache.ts';
import { named, NOW, workers } from '../../features/endpoints/sample.ts';

describe('Endpoint details in the cache', () => {
  const statusOf = (cache: EndpointCache) => cache.find('a')?.workers?.workers.map(({ status }) => status);

  function cacheAfterRound3(): EndpointCache {
    const cache = new EndpointCache();
    cache.takeList([named('a')], 1);
    cache.takeDetails('a', { workers: workers('RUNNING') }, 3, NOW);
    return cache;
  }

  it('are not replaced by a response of an older round', () => {
    const cache = cacheAfterRound3();
    assert.equal(cache.takeDetails('a', { workers: workers('IDLE') }, 2, NOW), NOTHING);
    assert.deepEqual(statusOf(cache), ['RUNNING']);
  });

  it('are replaced by a later response of the same round and by a newer round', () => {
    const cache = cacheAfterRound3();
    assert.deepEqual(cache.takeDetails('a', { workers: workers('IDLE') }, 3, NOW).ids, new Set(['a']));
    assert.deepEqual(statusOf(cache), ['IDLE']);
    assert.deepEqual(cache.takeDetails('a', { workers: workers('THROTTLED') }, 4, NOW).ids, new Set(['a']));
    assert.deepEqual(statusOf(cache), ['THROTTLED']);
  });

  it('are compared by round for each endpoint separately', () => {
    const cache = cacheAfterRound3();
    cache.takeList([named('a'), named('b')], 3);
    assert.deepEqual(cache.takeDetails('b', { workers: workers('IDLE') }, 2, NOW).ids, new Set(['b']));
  });

  it('are accepted from any round after the endpoint was removed from the list and added again', () => {
    const cache = cacheAfterRound3();
    cache.takeList([], 4);
    cache.takeList([named('a')], 5);
    cache.takeDetails('a', { workers: workers('IDLE') }, 2, NOW);
    assert.deepEqual(statusOf(cache), ['IDLE']);
  });
});
