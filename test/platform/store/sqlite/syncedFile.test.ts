import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SyncedFile } from '../../../../src/platform/store/sqlite/syncedFile.ts';

describe('A file that is waited for until it is on disk', () => {
  let folder: string;
  let written: number;
  let file: SyncedFile;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-synced-'));
    await writeFile(path.join(folder, 'file'), '');
    written = 0;
    file = new SyncedFile(path.join(folder, 'file'), () => written);
  });

  afterEach(async () => {
    file.close();
    await rm(folder, { recursive: true });
  });

  it('is not waited for when nothing was written since the last time', async () => {
    const unwritten = file.sync();
    assert.equal(file.quiet(), undefined);
    await unwritten;
    written++;
    await file.sync();
    const again = file.sync();
    assert.equal(file.quiet(), undefined);
    await again;
  });

  it('is waited for once by all who wrote before the wait began, and once more by those who wrote since', async () => {
    const order: string[] = [];
    const wait = (name: string) => file.sync().then(() => order.push(name));
    written = 2;
    const before = [wait('first'), wait('second')];
    written++;
    const since = [wait('third'), wait('fourth')];
    const quiet = file.quiet()?.then(() => order.push('quiet'));
    await Promise.all([...before, ...since, quiet]);
    assert.deepEqual(order.slice(0, 3).sort(), ['first', 'quiet', 'second']);
    assert.deepEqual(order.slice(3), ['third', 'fourth']);
  });

  it('is brought to disk before long for those who do not wait', async () => {
    written++;
    file.soon();
    assert.equal(file.quiet(), undefined, 'not at once');
    while (!file.quiet()) await new Promise((resolve) => setImmediate(resolve));
    await file.quiet();
    const nothingLeft = file.sync();
    assert.equal(file.quiet(), undefined);
    await nothingLeft;
  });

  it('tells a failure to those it concerns, and tries again for the next', async () => {
    const nowhere = new SyncedFile(folder, () => written);
    written++;
    const failed = nowhere.sync();
    written++;
    const later = nowhere.sync();
    await assert.rejects(failed, /EISDIR/);
    await assert.rejects(later, /EISDIR/);
    await assert.rejects(nowhere.sync(), /EISDIR/);
  });

  it('has nothing to wait for while it is not there', async () => {
    written++;
    await new SyncedFile(path.join(folder, 'missing'), () => written).sync();
  });
});
