import type { DatabaseSync } from 'node:sqlite';
import type * as z from 'zod';
import type { SecretBox } from '../../secrets/secretBox.ts';
import type { Row } from './rows.ts';
import { isWrittenWith, type Sealing } from './sealing.ts';
import { SnapshotError, type SnapshotContents } from '../store.ts';
import { STORED_LOG_ROWS, STORED_ROWS, type StoredTable } from './storedRows.ts';

/* Validates and adapts rows copied from a snapshot, before other code reads them. Runs in the transaction that copied them. */

interface ImportContext {
  readonly secrets: SecretBox;
  readonly seals: Sealing;
  readonly contents: SnapshotContents;
}

/** @throws SnapshotError if there are rows that this platform could not have written */
export function validateRows(database: DatabaseSync, { secrets, seals, contents }: ImportContext): void {
  if (!isWrittenWith(database, secrets) && contents.secrets === 'drop') dropSecrets(database, seals);
  for (const table of Object.keys(STORED_ROWS) as StoredTable[]) {
    check(table, STORED_ROWS[table], decryptedRows(database, table, seals));
  }
  checkRegistries(database, { secrets, contents });
  checkLargeValues(database);
  database.exec(`DELETE FROM job_counts;
    INSERT INTO job_counts SELECT endpoint_id, status, count(*), sum(retries) FROM jobs GROUP BY endpoint_id, status`);
  // Sequence numbers of jobs are used again.
  database.exec('DELETE FROM job_events WHERE job NOT IN (SELECT sequence FROM jobs)');
  // The processes belong to the platform that wrote the snapshot, and may still run.
  database.exec(`UPDATE runs SET handle = 'null', claim = NULL; DELETE FROM gate_ports`);
  // The images are on the engine of the platform that wrote the snapshot. On this engine, other programs may have pulled them.
  database.exec('DELETE FROM pulled_images');
  // The platform that wrote the snapshot still sends its pending webhooks.
  if (!contents.start) database.exec('DELETE FROM webhooks');
  pauseEndpoints(database, contents);
}

/** Validates the rows of the logs. */
export function validateLogRows(database: DatabaseSync): void {
  // The processes belong to the platform that wrote the snapshot.
  database.exec('DELETE FROM log_positions');
  const rows = 'SELECT worker_id, source, first_ts, last_ts, lines, bytes FROM log_blocks';
  check('log_blocks', STORED_LOG_ROWS.log_blocks, database.prepare(rows).iterate());
}

function check(table: string, schema: z.ZodType, rows: Iterable<Row>): void {
  try {
    for (const row of rows) {
      const { error } = schema.safeParse(row);
      // Reports only paths and rules: the values may be secrets.
      const issue = error?.issues[0];
      if (issue)
        throw new SnapshotError(
          `its table ${table} has an invalid row: ${issue.path.map(String).join('.')}: ${issue.message}`,
        );
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error;
    throw new SnapshotError(`its table ${table} has a row with a number that is too large`, error);
  }
}

/** Reads the rows of a table, with their secrets decrypted. @throws SnapshotError */
function* decryptedRows(database: DatabaseSync, table: StoredTable, { parse, open }: Sealing): Iterable<Row> {
  const withSecrets = (row: Row, work: () => Row): Row => {
    try {
      return { ...row, ...work() };
    } catch (error) {
      throw foreignSecrets(error);
    }
  };
  for (const row of database.prepare(QUERIES[table] ?? `SELECT * FROM ${table}`).iterate()) {
    const id = row['id'] as string;
    const json = (kind: Parameters<Sealing['parse']>[0], column: string, owner = id): Row =>
      // The schema reports text that is not JSON.
      isJson(row[column]) ? { [column]: JSON.stringify(parse(kind, owner, row[column] as string)) } : {};
    yield withSecrets(row, () => {
      if (table === 'endpoints') return json('endpoints', 'record');
      if (table === 'resources') return row['kind'] === 'templates' ? json('templates', 'record') : {};
      if (table === 'job_requests') return json('requests', 'request', row['job_id'] as string);
      if (table !== 'webhooks') return {};
      const jobId = row['job_id'] as string;
      return {
        url: open('deliveryUrl', jobId, row['url'] as string),
        body: open('deliveryBody', jobId, row['body'] as string),
      };
    });
  }
}

/** Queries for tables that are not read with `SELECT *`. */
const QUERIES: Partial<Record<StoredTable, string>> = {
  images: 'SELECT name, content_type, created_at, expires_at FROM images',
  large_value_parts: 'SELECT reference FROM large_value_parts',
  job_requests: 'SELECT jobs.id AS job_id, request FROM job_requests LEFT JOIN jobs USING (sequence)',
};

function isJson(value: unknown): boolean {
  try {
    return typeof JSON.parse(value as string) === 'object';
  } catch {
    return false;
  }
}

function foreignSecrets(cause: unknown): SnapshotError {
  return new SnapshotError(
    'its secrets were encrypted with the key of another data directory: import it there, or drop them with ?secrets=drop',
    cause,
  );
}

/** Checks that registry credentials can be decrypted. All versions of the platform encrypt them. @throws SnapshotError */
function checkRegistries(
  database: DatabaseSync,
  { secrets, contents }: Pick<ImportContext, 'secrets' | 'contents'>,
): void {
  if (contents.secrets === 'drop') return;
  for (const { id, sealed } of database.prepare(REGISTRIES).iterate()) {
    try {
      secrets.open(sealed as string, id as string);
    } catch (error) {
      throw foreignSecrets(error);
    }
  }
}

const REGISTRIES = `SELECT id, record ->> '$.sealed' AS sealed FROM resources WHERE kind = 'registries'`;

/** Removes secrets that this platform's key cannot decrypt. Registry credentials stay, but must be created again before use. */
function dropSecrets(database: DatabaseSync, { parse, open }: Sealing): void {
  const canOpen = (work: () => unknown): number => {
    try {
      work();
      return 1;
    } catch {
      return 0;
    }
  };
  database.function('opens_record', { directOnly: true }, (kind, id, json) =>
    canOpen(() => parse(kind as Parameters<Sealing['parse']>[0], id as string, json as string)),
  );
  database.function('opens_text', { directOnly: true }, (kind, id, sealed) =>
    canOpen(() => open(kind as Parameters<Sealing['open']>[0], id as string, sealed as string)),
  );
  database.exec(`
    UPDATE endpoints SET record = json_set(json_remove(record, '$."$sealed"'), '$.env', json('{}'))
      WHERE json_valid(record) AND NOT opens_record('endpoints', id, record);
    UPDATE resources SET record = json_set(json_remove(record, '$."$sealed"'), '$.env', json('{}'))
      WHERE kind = 'templates' AND json_valid(record) AND NOT opens_record('templates', id, record);
    UPDATE job_requests SET request = json_remove(request, '$."$sealed"', '$.s3Config', '$.webhook')
      WHERE json_valid(request) AND NOT opens_record(
        'requests', (SELECT id FROM jobs WHERE jobs.sequence = job_requests.sequence), request
      );
    DELETE FROM webhooks WHERE NOT opens_text('deliveryUrl', job_id, url)`);
}

/** Pauses endpoints by setting their workers to 0. Raising workers.max starts them. */
function pauseEndpoints(database: DatabaseSync, { start, mayStart }: SnapshotContents): void {
  const endpoints = `SELECT id, record ->> '$.accountId' AS accountId, record ->> '$.image' AS image FROM endpoints`;
  const set = database.prepare(
    `UPDATE endpoints SET record = json_set(record, '$.workers.min', 0, '$.workers.max', 0) WHERE id = ?`,
  );
  for (const { id, accountId, image } of database.prepare(endpoints).all()) {
    if (!start || !mayStart(accountId as string, image as string)) set.run(id as string);
  }
}

/**
 * Checks that each reference of a job has a value of its own: JSON text of the stated size. Responses contain the text as it is.
 *
 * @throws SnapshotError
 */
function checkLargeValues(database: DatabaseSync): void {
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
