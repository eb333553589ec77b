import assert from 'node:assert/strict';
import { workerKey } from '../../../../src/features/logs/model/logSubject.ts';

describe('workerKey', () => {
  it('is unique per connection, endpoint, and worker, even for ids that contain separators', () => {
    const worker = { connectionId: 'c', endpointId: 'e', workerId: 'w' };
    const keys = [
      worker,
      { ...worker, connectionId: 'd' },
      { ...worker, endpointId: 'f' },
      { ...worker, workerId: 'x' },
      { connectionId: 'c/e', endpointId: 'w', workerId: '' },
      { connectionId: 'c', endpointId: 'e/w', workerId: '' },
    ].map(workerKey);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(workerKey({ ...worker }), keys[0]);
  });
});
