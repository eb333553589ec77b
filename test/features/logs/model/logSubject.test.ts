import assert from 'node:assert/strict';
import { workerKey, channelName, showsChannel } from '../../../../src/features/logs/model/logSubject.ts';

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

describe('the name of a log channel', () => {
  const subject = { connectionId: 'c', endpointId: 'e1', endpointName: 'api' };

  it('names the endpoint and the workers, and the ID of an endpoint whose name is taken', () => {
    assert.equal(channelName(subject, () => false).text, 'api / all workers');
    assert.equal(channelName({ ...subject, workerIds: ['w1'] }, () => false).text, 'api / w1');
    assert.equal(channelName(subject, (name) => name === 'api / all workers').text, 'api (e1) / all workers');
  });

  it('is found in the address of its document, and not in that of a longer name', () => {
    const document = (name: string) => ({ scheme: 'output', path: `extension-output-publisher.name-#3-${name}` });
    assert.ok(showsChannel(document('api / all workers'), 'api / all workers'));
    assert.ok(!showsChannel(document('my-api / all workers'), 'api / all workers'));
    assert.ok(!showsChannel({ ...document('api / all workers'), scheme: 'file' }, 'api / all workers'));
  });
});
