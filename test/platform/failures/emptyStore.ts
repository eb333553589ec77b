import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import type { Store } from '../../../src/platform/store/store.ts';

/** A store, and a function that empties it. */
interface Opened {
  readonly store: Store;
  readonly empty: () => void;
}

let opened: Opened | undefined;

/**
 * Returns an empty in-memory store. It is the same store each time, emptied. Opening a store takes longer than most tests with it, and
 * leaves memory behind that affects later tests.
 */
export function emptyStore(): Store {
  opened ??= open();
  opened.empty();
  return opened.store;
}

function open(): Opened {
  const databases = new Set<DatabaseSync>();
  const { exec } = prototype;
  prototype.exec = function (sql) {
    databases.add(this);
    exec.call(this, sql);
  };
  const store = openSqliteStore(':memory:');
  prototype.exec = exec;
  const deletions = [...databases].flatMap((database) => deletionsOf(database).map((sql) => [database, sql] as const));
  return { store, empty: () => deletions.forEach(([database, sql]) => exec.call(database, sql)) };
}

/** Returns statements that empty the tables that are empty in a new database. */
function deletionsOf(database: DatabaseSync): string[] {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`);
  const names = tables.all().map(({ name }) => String(name));
  const isEmpty = (name: string): boolean => database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).all().length === 0;
  return names.filter(isEmpty).map((name) => `DELETE FROM "${name}"`);
}

const prototype = DatabaseSync.prototype as unknown as { exec: (this: DatabaseSync, sql: string) => void };
