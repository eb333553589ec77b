import assert from 'node:assert/strict';
import { rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
    assert.equal(file.pending(), undefined);
    await unwritten;
    written++;
    await file.sync();
    const again = file.sync();
    assert.equal(file.pending(), undefined);
    await again;
  });

  it('is waited for once by all who wrote before the wait began, and once more by those who wrote since', async () => {
    const order: string[] = [];
    const wait = (name: string) => file.sync().then(() => order.push(name));
    written = 2;
    const before = [wait('first'), wait('second')];
    written++;
    const since = [wait('third'), wait('fourth')];
    const quiet = file.pending()?.then(() => order.push('quiet'));
    await Promise.all([...before, ...since, quiet]);
    assert.deepEqual(order.slice(0, 3).sort(), ['first', 'quiet', 'second']);
    assert.deepEqual(order.slice(3), ['third', 'fourth']);
  });

  it('is brought to disk before long for those who do not wait', async () => {
    written++;
    file.soon();
    assert.equal(file.pending(), undefined, 'not at once');
    while (!file.pending()) await new Promise((resolve) => setImmediate(resolve));
    await file.pending();
    const nothingLeft = file.sync();
    assert.equal(file.pending(), undefined);
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

  describe('when the disk fails once', () => {
    let failing: SyncedFile;

    beforeEach(async () => {
      const place = path.join(folder, 'failing');
      await mkdir(place);
      failing = new SyncedFile(place, () => written);
      written++;
    });

    afterEach(() => failing.close());

    // A directory cannot be opened for writing. A file takes its place.
    const mend = () => {
      rmdirSync(path.join(folder, 'failing'));
      writeFileSync(path.join(folder, 'failing'), '');
    };

    it('is waited for again by the next caller, although nothing was written since', async () => {
      await assert.rejects(failing.sync(), /EISDIR/);
      mend();
      await failing.sync();
      const again = failing.sync();
      assert.equal(failing.pending(), undefined);
      await again;
    });

    it('does not tell the failure to those whose writes a later round covers', async () => {
      const failed = assert.rejects(failing.sync(), /EISDIR/);
      // Runs between the two rounds: all callers of the first round continue in the order of their calls.
      const mended = failing.pending()?.then(mend);
      written++;
      const later = failing.sync();
      await Promise.all([failed, mended, later]);
    });

    it('is waited for again by the next caller after a round without a caller failed', async () => {
      const begun = Promise.withResolvers<void>();
      const watched = new SyncedFile(path.join(folder, 'failing'), () => {
        begun.resolve();
        return written;
      });
      watched.soon();
      await begun.promise;
      await watched.pending();
      await assert.rejects(watched.sync(), /EISDIR/);
    });
  });

  it('has nothing to wait for while it is not there', async () => {
    written++;
    await new SyncedFile(path.join(folder, 'missing'), () => written).sync();
  });
});
