import assert from 'node:assert/strict';
import { EndpointCache, type EndpointsChange } from '../../../src/account/endpoints/endpointCache.ts';
import { onDidChangeEndpointDefinitions } from '../../../src/account/endpoints/endpointStore.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { named, NOW, workers } from '../../features/endpoints/sample.ts';

describe('onDidChangeEndpointDefinitions', () => {
  it('reports added, removed, and updated endpoints, but no changes of workers', () => {
    const cache = new EndpointCache();
    const changed = new Emitter<EndpointsChange>();
    const store = {
      get endpoints() {
        return cache.snapshots;
      },
      onDidChange: changed.event,
    };
    let times = 0;
    onDidChangeEndpointDefinitions(store, () => times++);
    const timesAfter = (change: EndpointsChange) => {
      changed.fire(change);
      return times;
    };
    assert.equal(timesAfter(cache.takeList([named('a'), named('b')], 1)), 1);
    assert.equal(timesAfter(cache.takeDetails('a', { workers: workers('IDLE') }, 2, NOW)), 1);
    assert.equal(timesAfter(cache.takeList([named('a'), named('b')], 3)), 1);
    assert.equal(timesAfter(cache.takeList([named('a', { registry: 'r' }), named('b')], 4)), 2);
    assert.equal(timesAfter(cache.takeList([named('b')], 5)), 3);
  });
});
