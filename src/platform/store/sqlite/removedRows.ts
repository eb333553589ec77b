import type { Row } from './rows.ts';

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
