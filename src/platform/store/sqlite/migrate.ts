import type { DatabaseSync } from 'node:sqlite';
import { OtherSchemaError } from '../store.ts';

/** A schema with its changes. A database contains its version as its user_version. */
export interface Schema {
  /** Version that the first step creates. */
  readonly first: number;
  /** SQL that creates the schema, and then SQL that changes it for each later version. A released step never changes. */
  readonly steps: readonly string[];
}

export const latestVersion = ({ first, steps }: Schema): number => first + steps.length - 1;

/** @throws OtherSchemaError if this platform cannot read a database of that version */
export function checkVersion(version: number, schema: Schema): void {
  const latest = latestVersion(schema);
  if (version < schema.first || version > latest) throw new OtherSchemaError(version, schema.first, latest);
}

/** Returns the version of a database, or 0 for a new one. @throws OtherSchemaError */
export function versionOf(database: DatabaseSync, schema: Schema): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version !== 0) checkVersion(version, schema);
  return version;
}

/**
 * Creates or changes the tables of a database.
 *
 * @param within runs in the same transaction
 * @throws OtherSchemaError
 */
export function migrate(database: DatabaseSync, schema: Schema, within?: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    migrateTo(database, schema, latestVersion(schema));
    within?.();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Applies the steps up to a version inside the current transaction. @throws OtherSchemaError */
export function migrateTo(database: DatabaseSync, schema: Schema, version: number): void {
  const stepsOf = (reached: number): number => Math.max(0, reached - schema.first + 1);
  for (const step of schema.steps.slice(stepsOf(versionOf(database, schema)), stepsOf(version))) database.exec(step);
  database.exec(`PRAGMA user_version = ${version}`);
}
