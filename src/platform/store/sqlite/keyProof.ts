import type { DatabaseSync } from 'node:sqlite';
import type { SecretBox } from '../../secrets/secretBox.ts';
import { SecretKeyError } from '../../secrets/secretKey.ts';

/* A known text, encrypted in the database, that verifies the key. */

const PROOF = 'encrypted with the key of this database';
const OWNER = 'key_proof';

/**
 * Verifies the key. Call this before any write. A database whose key is missing would otherwise get a new key, and lose its encrypted data.
 *
 * @throws SecretKeyError
 */
export function checkKey(database: DatabaseSync, box: SecretBox): void {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'key_proof'").get();
  const row = table && database.prepare('SELECT sealed FROM key_proof').get();
  if (!row) return;
  try {
    box.open(row['sealed'] as string, OWNER);
  } catch (error) {
    throw error instanceof SecretKeyError ? error : new SecretKeyError('wrong', box.keyFile, error);
  }
}

/** Returns true if the database was written with this key. */
export function isWrittenWith(database: DatabaseSync, box: SecretBox): boolean {
  const row = database.prepare('SELECT sealed FROM key_proof').get();
  try {
    return row !== undefined && box.open(row['sealed'] as string, OWNER) === PROOF;
  } catch {
    return false;
  }
}

/** Writes the proof unless it exists. Runs in the transaction that creates the schema. */
export function proveKey(database: DatabaseSync, box: SecretBox): void {
  if (isWrittenWith(database, box)) return;
  database.exec('DELETE FROM key_proof');
  database.prepare('INSERT INTO key_proof VALUES (?)').run(box.seal(PROOF, OWNER));
}
