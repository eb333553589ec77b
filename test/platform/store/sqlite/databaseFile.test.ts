import assert from 'node:assert/strict';
import { hasFile, isDamage, withFile } from '../../../../src/platform/store/sqlite/databaseFile.ts';
import { StoreFileError } from '../../../../src/platform/store/store.ts';

const sqliteError = (errcode: number) => Object.assign(new Error('of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('The file of a database', () => {
  it('exists unless the database is in memory or temporary', () => {
    assert.deepEqual([':memory:', '', 'file'].map(hasFile), [false, false, true]);
  });

  it('is damaged after the primary result codes CORRUPT and NOTADB only', () => {
    const damaged = [11, 26, 256 | 11, 256 | 26];
    const others = [0, 5, 10, 12, 13, 25, 27, 256 | 5];
    assert.deepEqual(
      [...damaged, ...others].filter((errcode) => isDamage({ errcode })),
      damaged,
    );
    assert.equal(isDamage({}), false);
  });

  it('is part of the errors of SQLite and of the file system, and says whether another process has locked it', () => {
    const found = [5, 11].map((errcode) => withFile('f', sqliteError(errcode)));
    found.push(withFile('f', Object.assign(new Error('no access'), { syscall: 'open' })));
    assert.deepEqual(
      found.map((error) => error instanceof StoreFileError && [error.file, error.locked, error.message]),
      [
        ['f', true, 'of SQLite'],
        ['f', false, 'of SQLite'],
        ['f', false, 'no access'],
      ],
    );
    const other = new Error('another');
    assert.equal(withFile('f', other), other);
  });
});
