import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import { openResources } from '../../../src/platform/resources/resources.ts';
import { secretBox } from '../../../src/platform/secrets/secretBox.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { manualClock } from '../support.ts';

describe('Deletion of a volume', () => {
  it('removes its files only once the deletion is on disk', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'cloud-compute-volumes-'));
    const flushed = Promise.withResolvers<void>();
    const flushRequested = Promise.withResolvers<void>();
    const store = openSqliteStore(':memory:');
    const slow = {
      ...store,
      flush: () => {
        flushRequested.resolve();
        return flushed.promise;
      },
    };
    try {
      const resources = openResources(slow, manualClock(0), { volumesDirectory: root, secrets: secretBox() });
      const { globalVolumes } = resources.of(OWNER_ACCOUNT_ID);
      globalVolumes.add({ id: 'v1', name: 'models', createdAt: 0 });
      writeFileSync(path.join(root, 'v1', 'file'), 'content');
      const deleted = globalVolumes.delete('v1');
      await Promise.race([flushRequested.promise, deleted]);
      // A power failure at this point would undo the deletion.
      const [movedDirectory = ''] = readdirSync(root);
      assert.deepEqual(readdirSync(path.join(root, movedDirectory)), ['file']);
      flushed.resolve();
      await deleted;
      assert.deepEqual(readdirSync(root), []);
    } finally {
      store.close();
      await rm(root, { recursive: true });
    }
  });
});
