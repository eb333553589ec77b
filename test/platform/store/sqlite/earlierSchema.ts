import type { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../../src/platform/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../../../src/platform/store/sqlite/migrations.ts';
import { sqliteModule } from '../../../../src/platform/store/sqlite/sqliteModule.ts';

/** Creates a database with the first `steps` migration steps. It has no secrets, so the encryption functions are not called. */
export function migratedTo(file: string, steps: number): DatabaseSync {
  const database = new (sqliteModule().DatabaseSync)(file);
  const notCalled = (): never => {
    throw new Error('the database has no secrets');
  };
  for (const name of ['sealed_record', 'sealed_text', 'origin_of']) {
    database.function(name, { varargs: true }, notCalled);
  }
  migrate(database, MIGRATIONS.slice(0, steps));
  return database;
}
