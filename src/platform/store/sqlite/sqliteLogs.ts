import type { DatabaseSync } from 'node:sqlite';
import { validateLogRows } from './importedRows.ts';
import { openFile, recordingFile, withFile, freeze } from './databaseFile.ts';
import type { LogBlock, DroppedLogs, LogSize, LogStore } from '../logStore.ts';
import { MAX_BYTES, logSizes, type LogSizes, type OldLog } from './logSizes.ts';
import { migrate } from './migrate.ts';
import { mover, type OnSetAside } from './quarantine.ts';
import { BATCH_BYTES, BATCH_ROWS, partsOf, stepsOf } from './tableParts.ts';
import type { Row } from './rows.ts';
import type { Transaction, Contents } from '../store.ts';
import { replaceContents } from './snapshot.ts';
import { statementsOf, type Statements, type Value } from './statements.ts';
import { LOG_SCHEMA } from './schema.ts';

/** Size of a block on disk in addition to its lines, in bytes: its row and its index entry. */
const BLOCK_OVERHEAD = 250;
/** The last line of a block is stored without its line break. */
const LINE_BREAK = 1;

/**
 * Opens the log store in a separate SQLite file. A flood of lines then does not delay writes that must be on disk before a response. An
 * empty path is a temporary file, which is removed when the store closes.
 *
 * @throws StartFailure nodeTooOld; OtherSchemaError; SnapshotError; StoreFileError
 */
export function openSqliteLogs(
  path: string,
  contents: Contents = 'kept',
  onSetAside: OnSetAside = () => undefined,
): LogStore {
  const database = openFile(path);
  try {
    // The checkpoint size is 16 MB, because the newest pages of many workers are then written back and synced only once.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000',
    );
    if (contents === 'kept') migrate(database, LOG_SCHEMA);
    else replaceContents(database, LOG_SCHEMA, { part: 'logs', contents, validate: () => validateLogRows(database) });
    const statements = statementsOf(database);
    const sizes = logSizes(statements);
    if (contents !== 'kept') sizes.recount();
    const checkPart = brokenBlocksAside(statements, sizes, onSetAside);
    return recordingFile(path, { ...logStore(database, path, statements, sizes), checkPart });
  } catch (error) {
    database.close();
    throw withFile(path, error);
  }
}

function logStore(
  database: DatabaseSync,
  path: string,
  { prepare, transaction }: Statements,
  sizes: LogSizes,
): Omit<LogStore, 'checkPart'> {
  const statements = {
    append: prepare(INSERT),
    after: prepare(`SELECT * FROM log_blocks WHERE ${OF_WORKER} AND last_ts > ?3 ORDER BY last_ts`),
    backwards: prepare(`SELECT first_ts, lines FROM log_blocks WHERE ${OF_WORKER} ORDER BY last_ts DESC`),
    newest: prepare('SELECT max(last_ts) AS ts FROM log_blocks WHERE worker_id = ?'),
    oldest: prepare('SELECT id, last_ts, lines, bytes FROM log_blocks WHERE worker_id = ? ORDER BY last_ts'),
    remove: prepare('DELETE FROM log_blocks WHERE id = ?'),
    putPosition: prepare('INSERT OR REPLACE INTO log_positions VALUES (?, ?)'),
    position: prepare('SELECT position FROM log_positions WHERE worker_id = ?'),
    removePosition: prepare('DELETE FROM log_positions WHERE worker_id = ?'),
  };

  /** Drops the oldest blocks of a worker before the block `endId`. Returns undefined if there is none. */
  const dropFrom = (
    current: Transaction,
    workerId: string,
    excess: BlockCount,
    endId: number,
  ): (DroppedLogs & BlockCount) | undefined => {
    const ids: number[] = [];
    let dropped: DroppedLogs | undefined;
    let firstId: number | undefined;
    for (const row of statements.oldest.iterate(workerId)) {
      const id = row['id'] as number;
      const { lines, bytes } = dropped ?? { lines: 0, bytes: 0 };
      if (id >= endId || ids.length >= excess.blocks || (lines >= excess.lines && bytes >= excess.bytes)) {
        firstId = id;
        break;
      }
      ids.push(id);
      dropped = sumOf(dropped, {
        ...{ workerId, lastTs: row['last_ts'] as string },
        ...{ lines: row['lines'] as number, bytes: row['bytes'] as number },
      });
    }
    if (!dropped) return undefined;
    for (const id of ids) statements.remove.run(id);
    sizes.subtract(current, workerId, dropped, firstId);
    return { ...dropped, blocks: ids.length };
  };

  return {
    append: (batch) =>
      transaction((current) =>
        batch.map(({ workerId, endpointId, blocks, position }) => {
          let [lineCount, byteCount, firstId] = [0, 0, 0];
          for (const { source, firstTs, lastTs, lines } of blocks) {
            const body = Buffer.from(lines.join('\n'));
            const bytes = body.length + BLOCK_OVERHEAD;
            const row = statements.append.run(workerId, source, firstTs, lastTs, lines.length, bytes, body);
            firstId ||= Number(row.lastInsertRowid);
            lineCount += lines.length;
            byteCount += bytes;
          }
          if (position !== undefined) statements.putPosition.run(workerId, position);
          if (lineCount > 0) sizes.add(current, { workerId, endpointId, lines: lineCount, bytes: byteCount, firstId });
          return byteCount - blocks.length * (BLOCK_OVERHEAD - LINE_BREAK);
        }),
      ),
    position: (workerId) => statements.position.get(workerId)?.['position'] as string | undefined,
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
    size: (workerId) => (workerId === undefined ? sizes.total() : sizes.of(workerId)),
    bytesByEndpoint: () => sizes.byEndpoint(),
    dropOldest: (of, excess, maxBlocks) =>
      transaction((current) => {
        const dropped = new Map<string, DroppedLogs>();
        let left = { ...excess, blocks: maxBlocks };
        while (left.blocks > 0 && (left.lines > 0 || left.bytes > 0)) {
          // Blocks of the worker that are older than those of all other workers.
          const [log, next]: readonly Partial<OldLog>[] = 'workerId' in of ? [of] : sizes.oldest(of.endpointId);
          const part = log?.workerId && dropFrom(current, log.workerId, left, next?.firstId ?? Infinity);
          if (!part) break;
          dropped.set(part.workerId, sumOf(dropped.get(part.workerId), part));
          left = { lines: left.lines - part.lines, bytes: left.bytes - part.bytes, blocks: left.blocks - part.blocks };
        }
        return [...dropped.values()];
      }),
    remove: (workerId) =>
      transaction((current) => {
        if (dropFrom(current, workerId, REMOVED_AT_ONCE, Infinity)) return true;
        statements.removePosition.run(workerId);
        return false;
      }),
    freeze: (copy) => freeze(database, path, copy),
    close: () => database.close(),
  };
}

const INSERT = `
  INSERT INTO log_blocks (worker_id, source, first_ts, last_ts, lines, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const OF_WORKER = 'worker_id = ?1 AND (?2 IS NULL OR source = ?2)';

interface BlockCount extends LogSize {
  readonly blocks: number;
}

const REMOVED_AT_ONCE: BlockCount = { blocks: BATCH_ROWS, lines: 0, bytes: BATCH_BYTES };

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
function brokenBlocksAside(statements: Statements, sizes: LogSizes, onSetAside: OnSetAside): () => boolean {
  const kind = 'log_blocks';
  const setAside = mover(statements, 'log_quarantine');
  const any = Object.values(BROKEN_BLOCKS).join(' OR ');
  const check = (part: string, values: readonly Value[]): void => {
    if (statements.all(`SELECT 1 FROM ${kind} WHERE ${part} AND (${any}) LIMIT 1`, ...values).length === 0) return;
    statements.transaction((transaction) => {
      for (const [reason, condition] of Object.entries(BROKEN_BLOCKS)) {
        const ids = setAside(kind, 'id', reason, `${part} AND (${condition})`, ...values);
        if (ids.length > 0) sizes.recount();
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

const BROKEN_BLOCKS = {
  'has an invalid timestamp': `first_ts NOT GLOB '${TIMESTAMP}' OR last_ts NOT GLOB '${TIMESTAMP}'`,
  'has a size that is out of range': `lines NOT BETWEEN 1 AND ${MAX_BYTES} OR bytes NOT BETWEEN 0 AND ${MAX_BYTES}`,
  'has an unknown source': `source NOT IN ('container', 'system')`,
} as const;

/** Keeps a byte order mark, which is part of its line. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function sumOf(before: DroppedLogs | undefined, { workerId, lastTs, lines, bytes }: DroppedLogs): DroppedLogs {
  return { workerId, lastTs, lines: (before?.lines ?? 0) + lines, bytes: (before?.bytes ?? 0) + bytes };
}
