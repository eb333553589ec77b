import type { DatabaseSync } from 'node:sqlite';
import { NewerSchemaError } from '../store.ts';

/**
 * Takes the steps a database has not taken yet; its user_version is the number of those it has, so a released step is never changed.
 *
 * @param within what else belongs to the transaction
 * @throws NewerSchemaError
 */
export function migrate(database: DatabaseSync, steps: readonly string[], within?: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    migrateTo(database, steps);
    within?.();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** How many of the steps it has taken. @throws NewerSchemaError */
export function versionOf(database: DatabaseSync, steps: readonly string[]): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > steps.length) throw new NewerSchemaError(version, steps.length);
  return version;
}

/** The same inside a transaction. @throws NewerSchemaError */
export function migrateTo(database: DatabaseSync, steps: readonly string[]): void {
  const version = versionOf(database, steps);
  for (const step of steps.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${steps.length}`);
}
