import type { LogSize } from '../logStore.ts';
import type { Statements } from './statements.ts';
import type { Transaction } from '../store.ts';

const NOTHING: LogSize = { lines: 0, bytes: 0 };

/** A log with lines, and its oldest block. */
export interface OldLog {
  readonly workerId: string;
  readonly firstId: number;
}

/** Sizes of the logs by worker, in the database, and by endpoint, in memory. Both change together with the blocks. */
export interface LogSizes {
  of(workerId: string): LogSize;
  total(): LogSize;
  /** Bytes by endpoint, for endpoints with logs. */
  byEndpoint(): ReadonlyMap<string, number>;
  /** Returns the log with the oldest block of an endpoint, and the one with the second oldest block. */
  oldest(endpointId: string): OldLog[];
  add(transaction: Transaction, added: LogSize & OldLog & { readonly endpointId: string }): void;
  /** @param firstId the oldest remaining block; undefined if none remains */
  subtract(transaction: Transaction, workerId: string, dropped: LogSize, firstId: number | undefined): void;
  /** Counts all logs again. */
  recount(): void;
}

export function logSizes({ one, all, run, transaction: inTransaction }: Statements): LogSizes {
  let bytes = new Map<string, number>();
  let total = NOTHING;

  const load = (): void => {
    const rows = all(
      'SELECT endpoint_id, sum(lines) AS lines, sum(bytes) AS bytes FROM log_sizes GROUP BY endpoint_id',
    );
    bytes = new Map(rows.map((row) => [row['endpoint_id'] as string, row['bytes'] as number]));
    total = rows.reduce((sum: LogSize, row) => plus(sum, row as unknown as LogSize), NOTHING);
  };
  const change = (endpointId: string, by: LogSize): void => {
    total = plus(total, by);
    const sum = (bytes.get(endpointId) ?? 0) + by.bytes;
    if (sum > 0) bytes.set(endpointId, sum);
    else bytes.delete(endpointId);
  };
  load();

  return {
    of: (workerId) => {
      const row = one('SELECT lines, bytes FROM log_sizes WHERE worker_id = ?', workerId);
      return row ? { lines: row['lines'] as number, bytes: row['bytes'] as number } : NOTHING;
    },
    total: () => total,
    byEndpoint: () => bytes,
    oldest: (endpointId) =>
      all('SELECT worker_id, first_id FROM log_sizes WHERE endpoint_id = ? ORDER BY first_id LIMIT 2', endpointId).map(
        (row) => ({ workerId: row['worker_id'] as string, firstId: row['first_id'] as number }),
      ),
    add: (transaction, { workerId, endpointId, firstId, ...added }) => {
      run(ADD, workerId, endpointId, added.lines, added.bytes, firstId);
      transaction.afterCommit(() => change(endpointId, added));
    },
    subtract: (transaction, workerId, dropped, firstId) => {
      const row = one('SELECT endpoint_id FROM log_sizes WHERE worker_id = ?', workerId);
      if (!row) return;
      if (firstId === undefined) run('DELETE FROM log_sizes WHERE worker_id = ?', workerId);
      else run(SUBTRACT, dropped.lines, dropped.bytes, firstId, workerId);
      const endpointId = row['endpoint_id'] as string;
      transaction.afterCommit(() => change(endpointId, { lines: -dropped.lines, bytes: -dropped.bytes }));
    },
    recount: () => {
      inTransaction(() => {
        run(COUNT);
        run('DELETE FROM log_sizes WHERE worker_id NOT IN (SELECT worker_id FROM log_blocks)');
      });
      load();
    },
  };
}

/** Upper bound for the size of a row in SQLite, in bytes. Unusable blocks are beyond it. */
export const MAX_BYTES = 2 ** 31;

const ADD = `
  INSERT INTO log_sizes (worker_id, endpoint_id, lines, bytes, first_id) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (worker_id) DO UPDATE SET lines = lines + excluded.lines, bytes = bytes + excluded.bytes`;
const SUBTRACT = 'UPDATE log_sizes SET lines = lines - ?, bytes = bytes - ?, first_id = ? WHERE worker_id = ?';
/** Only an import of a changed snapshot has blocks of workers without a size, and thus without an endpoint. */
const COUNT = `
  INSERT OR REPLACE INTO log_sizes (worker_id, endpoint_id, lines, bytes, first_id)
  SELECT
    worker_id,
    ifnull((SELECT endpoint_id FROM log_sizes WHERE log_sizes.worker_id = log_blocks.worker_id), ''),
    sum(lines), sum(bytes), min(id)
  FROM log_blocks WHERE lines BETWEEN 0 AND ${MAX_BYTES} AND bytes BETWEEN 0 AND ${MAX_BYTES} GROUP BY worker_id`;

function plus(left: LogSize, right: LogSize): LogSize {
  return { lines: left.lines + right.lines, bytes: left.bytes + right.bytes };
}
