import type { DatabaseSync } from 'node:sqlite';
import { SnapshotError } from '../contents.ts';

/**
 * Checks that each reference of a job has a value of its own: JSON text of the stated size. Responses contain the text as it is.
 *
 * @throws SnapshotError
 */
export function checkLargeValues(database: DatabaseSync): void {
  const seen = new Set<string>();
  for (const row of database.prepare(REFERENCES).iterate()) {
    const reference = row['reference'] as string;
    if (seen.has(reference)) throw invalid(reference, 'belongs to two jobs');
    seen.add(reference);
    const parts = database.prepare(PARTS).all(reference);
    const bytes = Buffer.concat(parts.map(({ content }) => content as Uint8Array));
    if (bytes.byteLength !== Number(reference.split(':')[1])) throw invalid(reference, 'does not have its size');
    try {
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch (error) {
      throw invalid(reference, 'is not JSON', error);
    }
  }
  // Values that the platform was storing when it wrote the snapshot have no job.
  database.exec(`
    DELETE FROM large_values;
    INSERT INTO large_values SELECT reference, 1 FROM (${REFERENCES});
    INSERT OR IGNORE INTO large_values SELECT DISTINCT reference, 0 FROM large_value_parts`);
}

const invalid = (reference: string, reason: string, cause?: unknown): SnapshotError =>
  new SnapshotError(`its table large_value_parts has an invalid value: ${reference} ${reason}`, cause);

const REFERENCES = `
  SELECT large_input AS reference FROM jobs WHERE large_input IS NOT NULL
  UNION ALL SELECT large_output FROM jobs WHERE large_output IS NOT NULL`;
const PARTS = 'SELECT content FROM large_value_parts WHERE reference = ? ORDER BY sequence';
