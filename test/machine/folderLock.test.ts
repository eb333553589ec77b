import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isLocked, lockFolder, removeFolder } from '../../src/machine/folderLock.ts';
import { processStart } from '../../src/machine/processTable.ts';
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
      { pid: process.pid, processStart: 'long ago', holder: 'x' },
      { pid: process.ppid, processStart: 'long ago', holder: 'x' },
    ]) {
      await writeFile(path.join(folder, 'lock'), JSON.stringify(left));
      assert.equal(await isLocked(folder), false);
      const taken = await Promise.all([lockFolder(folder), lockFolder(folder)]);
      assert.equal(taken.filter((release) => release !== undefined).length, 1);
      for (const release of taken) await release?.();
    }
  });

  it('is held by a process that has the same start time, and whose start time is unknown', async () => {
    const folder = await dataDirectory();
    for (const start of [(await processStart(process.ppid)) ?? null, null]) {
      await writeFile(
        path.join(folder, 'lock'),
        JSON.stringify({ pid: process.ppid, processStart: start, holder: 'x' }),
      );
      assert.equal(await isLocked(folder), true);
      assert.equal(await lockFolder(folder), undefined);
    }
  });

  it('is not removed by a process that lost it', async () => {
    const folder = await dataDirectory();
    const release = await lockFolder(folder);
    const other = JSON.stringify({ pid: process.ppid, processStart: null, holder: 'another' });
    await writeFile(path.join(folder, 'lock'), other);
    await release?.();
    assert.equal(await readFile(path.join(folder, 'lock'), 'utf8'), other);
  });

  it('keeps a folder from being deleted', async () => {
    const root = await dataDirectory();
    const folder = path.join(root, 'batch');
    await mkdir(folder);
    const release = await lockFolder(folder);
    assert.equal(await removeFolder(folder), false);
    assert.deepEqual(await readdir(folder), ['lock']);
    await release?.();
    assert.equal(await removeFolder(folder), true);
    assert.equal(await removeFolder(folder), true, 'a folder that does not exist counts as deleted');
    assert.deepEqual(await readdir(root), []);
  });
});
