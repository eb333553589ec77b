import type { DatabaseSync } from 'node:sqlite';
import type { SecretBox } from '../../secrets/secretBox.ts';
import { SecretKeyError } from '../../secrets/secretKey.ts';

/* A text that the database has encrypted, by which its key is known again. */

const PROOF = 'encrypted with the key of this database';
const OWNER = 'key_proof';

/**
 * To be called before anything is written: without its key a database would get a second one, and what it has encrypted would be lost.
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

/** Whether the database was written with this key. */
export function isWrittenWith(database: DatabaseSync, box: SecretBox): boolean {
  const row = database.prepare('SELECT sealed FROM key_proof').get();
  try {
    return row !== undefined && box.open(row['sealed'] as string, OWNER) === PROOF;
  } catch {
    return false;
  }
}

/** Writes the proof unless it is there. Belongs to the transaction that makes the schema. */
export function proveKey(database: DatabaseSync, box: SecretBox): void {
  if (isWrittenWith(database, box)) return;
  database.exec('DELETE FROM key_proof');
  database.prepare('INSERT INTO key_proof (sealed, clean) VALUES (?, 0)').run(box.seal(PROOF, OWNER));
}

/**
 * Once after the schema was made: writes the database anew, so that nothing of what earlier versions stored plainly stays in free pages
 * and in the write-ahead log. An interruption is made up for at the next start.
 */
export function scrub(database: DatabaseSync): void {
  if (database.prepare('SELECT clean FROM key_proof').get()?.['clean'] === 1) return;
  database.exec('VACUUM');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec('UPDATE key_proof SET clean = 1');
}
