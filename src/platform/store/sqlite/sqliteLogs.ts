import type { DatabaseSync } from 'node:sqlite';
import { validateLogRows } from './importedRows.ts';
import { openFile, recordingFile, withFile } from './databaseFile.ts';
import { freeze } from './frozenFile.ts';
import type { LogBlock, DroppedLogs, LogStore } from '../logStore.ts';
import { migrate } from './migrate.ts';
import { mover, type OnSetAside } from './quarantine.ts';
import { batchOf } from './removedRows.ts';
import type { Row } from './rows.ts';
import { replaceContents, type Contents } from './snapshot.ts';
import { statementsOf, type Statements, type Value } from './statements.ts';
import { partsOf, stepsOf } from './tableParts.ts';

/** Migration steps of the log database, as in migrations.ts. */
const LOG_MIGRATIONS: readonly string[] = [
  // The index covers all columns except the lines, so that searching, counting, and filtering never read the lines.
  `
  CREATE TABLE log_blocks (
    id INTEGER PRIMARY KEY,
    worker_id TEXT NOT NULL,
    source TEXT NOT NULL,
    first_ts TEXT NOT NULL,
    last_ts TEXT NOT NULL,
    lines INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX log_blocks_by_time ON log_blocks (worker_id, last_ts, source, lines, bytes, first_ts);
  `,
  // Unusable blocks move to a quarantine table.
  `
  CREATE TABLE log_quarantine (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    content TEXT NOT NULL
  ) STRICT;
  `,
];

/** Size of a block on disk in addition to its lines, in bytes: its row and its index entry. */
const BLOCK_OVERHEAD = 250;

/**
 * Opens the log store in a separate SQLite file. A flood of lines then does not delay writes that must be on disk before a response. An
 * empty path is a temporary file, which is removed when the store closes.
 *
 * @throws StartFailure nodeTooOld; NewerSchemaError; SnapshotError; StoreFileError
 */
export function openSqliteLogs(
  path: string,
  contents: Contents = 'kept',
  onSetAside: OnSetAside = () => undefined,
): LogStore {
  const database = openFile(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (contents === 'kept') migrate(database, LOG_MIGRATIONS);
    else
      replaceContents(database, LOG_MIGRATIONS, { part: 'logs', contents, validate: () => validateLogRows(database) });
    const checkPart = brokenBlocksAside(statementsOf(database), onSetAside);
    return recordingFile(path, { ...logStore(database, path), checkPart });
  } catch (error) {
    database.close();
    throw withFile(path, error);
  }
}

function logStore(database: DatabaseSync, path: string): Omit<LogStore, 'checkPart'> {
  const { prepare, transaction } = statementsOf(database);
  const statements = {
    append: prepare(INSERT),
    after: prepare(`SELECT * FROM log_blocks WHERE ${OF_WORKER} AND last_ts > ?3 ORDER BY last_ts`),
    backwards: prepare(`SELECT first_ts, lines FROM log_blocks WHERE ${OF_WORKER} ORDER BY last_ts DESC`),
    newest: prepare('SELECT max(last_ts) AS ts FROM log_blocks WHERE worker_id = ?'),
    size: prepare(`${SIZE} WHERE worker_id = ?`),
    sizeOfAll: prepare(SIZE),
    oldest: prepare(`${HEADS} WHERE worker_id = ? ORDER BY last_ts`),
    oldestOfAll: prepare(`${HEADS} ORDER BY id`),
    remove: prepare('DELETE FROM log_blocks WHERE id = ?'),
  };

  return {
    append: (workerId, blocks) =>
      transaction(() => {
        let [lineCount, byteCount] = [0, 0];
        for (const { source, firstTs, lastTs, lines } of blocks) {
          const body = Buffer.from(lines.join('\n'));
          const bytes = body.length + BLOCK_OVERHEAD;
          statements.append.run(workerId, source, firstTs, lastTs, lines.length, bytes, body);
          lineCount += lines.length;
          byteCount += bytes;
        }
        return { lines: lineCount, bytes: byteCount };
      }),
    after: ({ workerId, source }, ts, limit) => {
      const blocks: LogBlock[] = [];
      let [lines, bytes] = [0, 0];
      for (const row of statements.after.iterate(workerId, source ?? null, ts)) {
        lines += row['lines'] as number;
        bytes += row['bytes'] as number;
        if (blocks.length > 0 && (lines > limit.lines || bytes > limit.bytes)) break;
        blocks.push(blockOfRow(row));
      }
      return blocks;
    },
    fromEnd: ({ workerId, source }, lines) => {
      let found: { firstTs: string; skip: number } | undefined;
      let missing = lines;
      for (const row of statements.backwards.iterate(workerId, source ?? null)) {
        missing -= row['lines'] as number;
        found = { firstTs: row['first_ts'] as string, skip: Math.max(0, -missing) };
        if (missing <= 0) break;
      }
      return found;
    },
    newest: (workerId) => (statements.newest.get(workerId)?.['ts'] as string | null) ?? undefined,
    size: (workerId) => {
      const row = workerId === undefined ? statements.sizeOfAll.get() : statements.size.get(workerId);
      return { lines: row?.['lines'] as number, bytes: row?.['bytes'] as number };
    },
    dropOldest: (excess, workerId) =>
      transaction(() => {
        const ids: number[] = [];
        const dropped = new Map<string, DroppedLogs>();
        let [lines, bytes] = [0, 0];
        const rows = workerId === undefined ? statements.oldestOfAll.iterate() : statements.oldest.iterate(workerId);
        for (const row of rows) {
          if (lines >= excess.lines && bytes >= excess.bytes) break;
          lines += row['lines'] as number;
          bytes += row['bytes'] as number;
          ids.push(row['id'] as number);
          addDropped(dropped, row);
        }
        for (const id of ids) statements.remove.run(id);
        return [...dropped.values()];
      }),
    remove: (workerId) =>
      transaction(() => {
        const blocks = batchOf(statements.oldest.iterate(workerId));
        for (const { id } of blocks) statements.remove.run(id as number);
        return blocks.length > 0;
      }),
    freeze: (copy) => freeze(database, path, copy),
    close: () => database.close(),
  };
}

const INSERT = `
  INSERT INTO log_blocks (worker_id, source, first_ts, last_ts, lines, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const OF_WORKER = 'worker_id = ?1 AND (?2 IS NULL OR source = ?2)';
const SIZE = 'SELECT coalesce(sum(lines), 0) AS lines, coalesce(sum(bytes), 0) AS bytes FROM log_blocks';
const HEADS = 'SELECT id, worker_id, last_ts, lines, bytes FROM log_blocks';

function blockOfRow(row: Row): LogBlock {
  return {
    source: row['source'] as LogBlock['source'],
    firstTs: row['first_ts'] as string,
    lastTs: row['last_ts'] as string,
    lines: decoder.decode(row['body'] as Uint8Array).split('\n'),
  };
}

/**
 * Returns a function that sets aside blocks with invalid sizes or timestamps, which would break sums and comparisons, in one part of the
 * table. It returns false once all parts are checked.
 */
function brokenBlocksAside(statements: Statements, onSetAside: OnSetAside): () => boolean {
  const kind = 'log_blocks';
  const setAside = mover(statements, 'log_quarantine');
  const any = Object.values(BROKEN_BLOCKS).join(' OR ');
  const check = (part: string, values: readonly Value[]): void => {
    if (statements.all(`SELECT 1 FROM ${kind} WHERE ${part} AND (${any}) LIMIT 1`, ...values).length === 0) return;
    statements.transaction((transaction) => {
      for (const [reason, condition] of Object.entries(BROKEN_BLOCKS)) {
        const ids = setAside(kind, 'id', reason, `${part} AND (${condition})`, ...values);
        transaction.afterCommit(() => ids.forEach((id) => onSetAside({ kind, id, reason })));
      }
    });
  };
  return stepsOf(() => partsOf(statements, kind, BLOCK_PARTS, check));
}

/** The check does not read the lines. */
const BLOCK_PARTS = { key: ['id'], bytes: '0' };

/** RFC 3339 with nanoseconds in UTC. */
const TIMESTAMP = '0000-00-00T00:00:00.000000000Z'.replaceAll('0', '[0-9]');
/** Upper bound for the size of a row in SQLite, in bytes. */
const MAX_BYTES = 2 ** 31;

const BROKEN_BLOCKS = {
  'has an invalid timestamp': `first_ts NOT GLOB '${TIMESTAMP}' OR last_ts NOT GLOB '${TIMESTAMP}'`,
  'has a size that is out of range': `lines NOT BETWEEN 1 AND ${MAX_BYTES} OR bytes NOT BETWEEN 0 AND ${MAX_BYTES}`,
  'has an unknown source': `source NOT IN ('container', 'system')`,
} as const;

/** Keeps a byte order mark, which is part of its line. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function addDropped(dropped: Map<string, DroppedLogs>, row: Row): void {
  const workerId = row['worker_id'] as string;
  const before = dropped.get(workerId);
  dropped.set(workerId, {
    workerId,
    lastTs: row['last_ts'] as string,
    lines: (before?.lines ?? 0) + (row['lines'] as number),
    bytes: (before?.bytes ?? 0) + (row['bytes'] as number),
  });
}
