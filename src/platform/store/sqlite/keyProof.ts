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
  database.prepare('INSERT INTO key_proof (sealed, clean) VALUES (?, 0)').run(box.seal(PROOF, OWNER));
}

/**
 * Rewrites the database once after the schema was created. Otherwise free pages and the write-ahead log could still hold secrets that
 * earlier versions stored as plain text. An interrupted run is repeated at the next start.
 */
export function scrub(database: DatabaseSync): void {
  if (database.prepare('SELECT clean FROM key_proof').get()?.['clean'] === 1) return;
  database.exec('VACUUM');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('UPDATE key_proof SET clean = 1');
}
