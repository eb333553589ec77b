import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { SyncedFile } from '../../src/platform/store/sqlite/syncedFile.ts';
import { cleanUp, dataDirectory, platformForTest } from './support.ts';

describe('Durability of the control API', () => {
  const files = SyncedFile.prototype as unknown as { sync: (this: SyncedFile) => Promise<void> };
  const { sync } = files;

  afterEach(async () => {
    files.sync = sync;
    await cleanUp();
  });

  it('answers a change once it is on disk', async () => {
    const { api } = await platformForTest({ dataDir: await dataDirectory() });
    const asked = Promise.withResolvers<void>();
    const onDisk = Promise.withResolvers<void>();
    files.sync = async function () {
      asked.resolve();
      await onDisk.promise;
      await sync.call(this);
    };
    const order: string[] = [];
    const answered = api.fetch(controlOperations.createUser, { body: { name: 'Ann' } }).then(({ status }) => {
      order.push('answered');
      return status;
    });
    await Promise.race([asked.promise, answered]);
    order.push('on disk');
    onDisk.resolve();
    assert.equal(await answered, 201);
    assert.deepEqual(order, ['on disk', 'answered']);
  });

  it('answers read-only requests without waiting for the disk', async () => {
    const { api } = await platformForTest({ dataDir: await dataDirectory() });
    files.sync = () => Promise.reject(new Error('unexpected fsync'));
    assert.equal((await api.fetch(controlOperations.listAccounts)).status, 200);
  });
});
