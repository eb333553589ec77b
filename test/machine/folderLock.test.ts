import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isLocked, lockFolder } from '../../src/machine/folderLock.ts';
import { cleanUp, dataDirectory } from '../platform/support.ts';

describe('the lock of a folder', () => {
  afterEach(cleanUp);

  it('is held by one window at a time', async () => {
    const folder = await dataDirectory();
    const release = await lockFolder(folder);
    assert.ok(release);
    assert.equal(await lockFolder(folder), undefined);
    await release();
    assert.ok(await lockFolder(folder));
  });

  it('is taken from a process that has ended', async () => {
    const folder = await dataDirectory();
    for (const left of [
      { pid: 2 ** 22 + 1, processStart: null, holder: 'x' },
      { pid: process.pid, processStart: null, holder: 'x' },
    ]) {
      await writeFile(path.join(folder, 'lock'), JSON.stringify(left));
      assert.equal(await isLocked(folder), false);
      const taken = await Promise.all([lockFolder(folder), lockFolder(folder)]);
      assert.equal(taken.filter((release) => release !== undefined).length, 1);
      for (const release of taken) await release?.();
    }
  });
});
