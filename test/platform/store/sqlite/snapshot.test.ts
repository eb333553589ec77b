import assert from 'node:assert/strict';
import path from 'node:path';
import { openFile } from '../../../../src/platform/store/sqlite/databaseFile.ts';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { SCHEMA } from '../../../../src/platform/store/sqlite/schema.ts';
import { replaceContents } from '../../../../src/platform/store/sqlite/snapshot.ts';
import { openSqliteStore } from '../../../../src/platform/store/sqlite/sqlite.ts';
import { cleanUp, dataDirectory } from '../../support.ts';

describe('A database with the contents of a snapshot', () => {
  afterEach(cleanUp);

  it('does not keep the file of the snapshot open', async () => {
    const snapshot = path.join(await dataDirectory(), 'snapshot.sqlite');
    const source = openSqliteStore(':memory:');
    await source.writeSnapshot(snapshot);
    source.close();
    const database = openFile(':memory:');
    migrate(database, SCHEMA);
    const contents = { snapshot, secrets: 'keep', start: true, mayStart: () => true } as const;
    replaceContents(database, SCHEMA, { part: 'main', contents });
    const names = database.prepare('SELECT name FROM pragma_database_list').all();
    assert.deepEqual(names.map(Object.values), [['main']]);
    database.close();
  });
});
