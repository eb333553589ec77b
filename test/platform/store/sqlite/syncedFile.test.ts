import assert from 'node:assert/strict';
import { rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SyncedFile } from '../../../../src/platform/store/sqlite/syncedFile.ts';

describe('SyncedFile', () => {
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

  it('needs no fsync if nothing was written since the last one', async () => {
    const unwritten = file.sync();
    assert.equal(file.pending(), undefined);
    await unwritten;
    written++;
    await file.sync();
    const again = file.sync();
    assert.equal(file.pending(), undefined);
    await again;
  });

  it('shares one fsync among earlier writers, and the next one among later writers', async () => {
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

  it('syncs soon for writers that do not wait', async () => {
    let onSync: () => void = () => undefined;
    const watched = new SyncedFile(path.join(folder, 'file'), () => {
      onSync();
      return written;
    });
    for (let round = 0; round < 2; round++) {
      written++;
      const synced = new Promise<void>((resolve) => (onSync = resolve));
      watched.soon();
      assert.equal(watched.pending(), undefined, 'not at once');
      // The fsync can end before a look for it.
      await synced;
      await watched.pending();
      const nothingLeft = watched.sync();
      assert.equal(watched.pending(), undefined);
      await nothingLeft;
    }
    watched.close();
  });

  it('rejects the calls that a failed fsync covers, and retries for the next call', async () => {
    const nowhere = new SyncedFile(folder, () => written);
    written++;
    const failed = nowhere.sync();
    written++;
    const later = nowhere.sync();
    await assert.rejects(failed, /EISDIR/);
    await assert.rejects(later, /EISDIR/);
    await assert.rejects(nowhere.sync(), /EISDIR/);
  });

  describe('after a single failure of the disk', () => {
    let failing: SyncedFile;

    beforeEach(async () => {
      const place = path.join(folder, 'failing');
      await mkdir(place);
      failing = new SyncedFile(place, () => written);
      written++;
    });

    afterEach(() => failing.close());

    // A directory cannot be opened for writing. A file replaces it.
    const repair = () => {
      rmdirSync(path.join(folder, 'failing'));
      writeFileSync(path.join(folder, 'failing'), '');
    };

    it('syncs again for the next caller, even if nothing was written since', async () => {
      await assert.rejects(failing.sync(), /EISDIR/);
      repair();
      await failing.sync();
      const again = failing.sync();
      assert.equal(failing.pending(), undefined);
      await again;
    });

    it('does not reject calls that a later fsync covers', async () => {
      const failed = assert.rejects(failing.sync(), /EISDIR/);
      // Runs between the two fsyncs: all callers of the first one continue in the order of their calls.
      const mended = failing.pending()?.then(repair);
      written++;
      const later = failing.sync();
      await Promise.all([failed, mended, later]);
    });

    it('syncs again for the next caller after an fsync without a caller failed', async () => {
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

  it('reports the first failed fsync only, and then rejects each call with it', async () => {
    const reported: Error[] = [];
    const failing = new SyncedFile(
      path.join(folder, 'file'),
      () => written,
      (error) => void reported.push(error),
    );
    const [first, second] = [new Error('first'), new Error('second')];
    assert.equal(failing.failed, false);
    for (const error of [first, second]) failing.fail(error);
    assert.deepEqual([failing.failed, reported], [true, [first]]);
    written++;
    await assert.rejects(failing.sync(), first);
  });

  it('resolves if the file does not exist yet', async () => {
    written++;
    await new SyncedFile(path.join(folder, 'missing'), () => written).sync();
  });
});
