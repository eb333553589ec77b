import assert from 'node:assert/strict';
import { migrate, type Schema } from '../../../../src/platform/store/sqlite/migrate.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';
import { OtherSchemaError } from '../../../../src/platform/store/store.ts';

describe('Schema of a database', () => {
  const create = 'CREATE TABLE items (id TEXT)';
  const withCounts: Schema = { first: 5, steps: [create, 'ALTER TABLE items ADD COLUMN count INTEGER'] };
  const open = () => new (sqliteModule().DatabaseSync)(':memory:');
  const columns = (database: ReturnType<typeof open>): unknown[] =>
    database
      .prepare("SELECT name FROM pragma_table_info('items')")
      .all()
      .map(({ name }) => name);

  it('changes with the steps that a database lacks, and keeps its rows', () => {
    const database = open();
    migrate(database, { first: 5, steps: [create] });
    database.exec("INSERT INTO items VALUES ('a')");
    for (let opening = 0; opening < 2; opening++) migrate(database, withCounts);
    assert.deepEqual(columns(database), ['id', 'count']);
    assert.deepEqual({ ...database.prepare('SELECT * FROM items').get() }, { id: 'a', count: null });
    database.close();
  });

  for (const version of [4, 7]) {
    it(`of another version is refused and stays as it is: ${version}`, () => {
      const database = open();
      database.exec(`PRAGMA user_version = ${version}`);
      assert.throws(
        () => migrate(database, withCounts),
        (error) => error instanceof OtherSchemaError && error.message.endsWith('supports versions 5 to 6'),
      );
      assert.deepEqual(columns(database), []);
      database.close();
    });
  }
});
