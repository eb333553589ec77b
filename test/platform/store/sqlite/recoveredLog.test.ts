import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { isStorageFull } from '../../../../src/platform/storageFull.ts';

describe('Write-ahead log of a store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('that an ended process left is copied into the database before the next write', async () => {
    const used = path.join(folder, 'used');
    await mkdir(used);
    const original = openSqliteStore(path.join(used, 'platform.sqlite'));
    original.pulledImages.add('image', 1);
    const copy = path.join(folder, 'copy');
    await cp(used, copy, { recursive: true });
    original.close();
    const log = path.join(copy, 'platform.sqlite-wal');
    const { size } = await stat(log);
    const store = openSqliteStore(path.join(copy, 'platform.sqlite'));
    assert.ok((await stat(log)).size < size);
    store.close();
  });

  it('is reported once and stays as it is after a failed fsync, and the next process recovers it', async () => {
    const file = path.join(folder, 'platform.sqlite');
    const program = `
      import { writeSync } from 'node:fs';
      const { openSqliteStore } = await import(process.argv[1]);
      const store = openSqliteStore(process.argv[2], { onFailedSync: (...failure) => writeSync(1, failure.join()) });
      store.pulledImages.add('image', 1);
      const failure = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 });
      for (let n = 0; n < 2; n++) {
        try {
          store.transaction(() => { throw failure; });
        } catch (error) {
          if (error !== failure) throw error;
        }
      }
      store.close();
      process.exit();`;
    const source = new URL('../../../../src/platform/store/sqlite/sqlite.ts', import.meta.url).href;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program, source, file], {
      encoding: 'utf8',
    });
    assert.equal(stdout, `${file}-wal,Error: disk I/O error`, stderr);
    assert.ok((await stat(`${file}-wal`)).size > 0);
    const store = openSqliteStore(file);
    assert.equal(store.pulledImages.has('image'), true);
    store.close();
  });

  it('is not full if its fsync failed, because a retry would not store the lost writes', () => {
    const sqliteError = (errcode: number) =>
      Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });
    assert.equal(isStorageFull(sqliteError(778)), true, 'a failed write');
    assert.equal(isStorageFull(sqliteError(1034)), false, 'a failed fsync of a file');
    assert.equal(isStorageFull(sqliteError(1290)), false, 'a failed fsync of a directory');
  });
});
