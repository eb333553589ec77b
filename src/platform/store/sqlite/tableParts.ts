import type { Statements, Value } from './statements.ts';
import type { Row } from './rows.ts';

/* Long work on a table, in parts. Other work runs between them. */

export interface TableParts {
  /** Columns of a unique index. */
  readonly key: readonly string[];
  /** SQL expression for the number of bytes that the work on a row reads. */
  readonly bytes: string;
}

/** Maximum number of rows in a part. */
const PART_ROWS = 1_000;

/**
 * Calls `work` with each part of a table in the order of its key, and yields after each call.
 *
 * @param work gets an SQL condition for the rows of the part, and its values
 */
export function* partsOf(
  { eachExact }: Pick<Statements, 'eachExact'>,
  table: string,
  { key: columns, bytes }: TableParts,
  work: (condition: string, values: readonly Value[]) => void,
): Generator<void> {
  const key = columns.join(', ');
  const values = `(${columns.map(() => '?').join(', ')})`;
  let before: Value[] = [];
  for (;;) {
    const after = before.length === 0 ? 'TRUE' : `(${key}) > ${values}`;
    const [last] = eachExact(
      lastOfPart(`SELECT ${key}, ${bytes} AS bytes FROM ${table} WHERE ${after}`, key),
      ...before,
    );
    if (!last) return;
    const to = columns.map((column) => last[column] as Value);
    work(`${after} AND (${key}) <= ${values}`, [...before, ...to]);
    before = to;
    yield;
  }
}

/**
 * Returns a query for the key of the last row in the first part of `rows`. SQLite finds it, because an object for each row of a large table
 * is more garbage than the rest of the platform leaves.
 */
const lastOfPart = (rows: string, key: string): string => `
  SELECT * FROM (
    SELECT *, row_number() OVER earlier AS part_rows, sum(bytes) OVER earlier AS part_bytes
    FROM (${rows} ORDER BY ${key} LIMIT ${PART_ROWS}) WINDOW earlier AS (ORDER BY ${key} ROWS UNBOUNDED PRECEDING)
  ) WHERE part_rows = 1 OR part_bytes <= ${BATCH_BYTES} ORDER BY part_rows DESC LIMIT 1`;

/** Returns a function that runs one step of a generator, and returns false once it has ended. After an error, it begins again. */
export function stepsOf(begin: () => Generator<void>): () => boolean {
  let current: Generator<void> | undefined;
  return () => {
    try {
      return (current ??= begin()).next().done !== true;
    } catch (error) {
      // A generator ends with its error.
      current = undefined;
      throw error;
    }
  };
}

/*
 * The jobs and workers of a deleted endpoint are removed in batches. Until its last row is removed, the endpoint has a row in
 * `removed_endpoints`, and readers do not find its jobs.
 */

/** SQL condition for rows with the ID of an endpoint that is not deleted. */
export const NOT_REMOVED = 'endpoint_id NOT IN (SELECT id FROM removed_endpoints)';

/** Limits of one batch. A transaction with them takes a few milliseconds. */
export const BATCH_ROWS = 100;
export const BATCH_BYTES = 2 * 1_048_576;

/**
 * Returns the first rows that fit into a batch, but at least one if there is one.
 *
 * @param rows rows with their size in `bytes`, as a number or a BigInt
 */
export function batchOf(rows: Iterable<Row>, limit = BATCH_ROWS): Row[] {
  const batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Number(row['bytes']);
    if (batch.length > 0 && bytes > BATCH_BYTES) break;
    batch.push(row);
    if (batch.length >= limit) break;
  }
  return batch;
}
