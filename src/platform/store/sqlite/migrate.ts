import type { DatabaseSync } from 'node:sqlite';
import { NewerSchemaError } from '../store.ts';

/**
 * Applies the pending migration steps to a database. Its user_version is the number of applied steps, so a released step must not change.
 *
 * @param within runs in the same transaction
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

/** Returns the number of steps that the database has applied. @throws NewerSchemaError */
export function versionOf(database: DatabaseSync, steps: readonly string[]): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > steps.length) throw new NewerSchemaError(version, steps.length);
  return version;
}

/** Applies the pending steps inside the current transaction. @throws NewerSchemaError */
export function migrateTo(database: DatabaseSync, steps: readonly string[]): void {
  const version = versionOf(database, steps);
  for (const step of steps.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${steps.length}`);
}
