import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { grouped } from './grouped.ts';
import { MIGRATIONS } from './migrations.ts';
import { runOfRow, runParameters, type Row } from './rows.ts';
import { sqliteJobs } from './sqliteJobs.ts';
import { sqliteModule } from './sqliteModule.ts';
import { insertOf, mapped, statementsOf } from './statements.ts';
import { NewerSchemaError, type LogLine, type LogQuery, type RunRecord, type Store } from './store.ts';

/**
 * The store in a SQLite file, or in memory when the path is `:memory:`.
 *
 * @throws StartFailure nodeTooOld; NewerSchemaError; SQLite's own error (ERR_SQLITE_ERROR, errcode 5) when another process has the file
 */
export function openSqliteStore(path: string): Store {
  const database = new (sqliteModule().DatabaseSync)(path);
  try {
    // The lock is taken once and for all: a second platform on the same file must fail at its start, not at some write.
    // A commit is written to the log and not waited for: `durable` waits, for many commits at once.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return sqliteStore(database, path);
}

function migrate(database: DatabaseSync): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > MIGRATIONS.length) throw new NewerSchemaError(version, MIGRATIONS.length);
  database.exec('BEGIN IMMEDIATE');
  for (const step of MIGRATIONS.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

function sqliteStore(database: DatabaseSync, path: string): Store {
  const statements = statementsOf(database);
  const { one, all, run, transaction } = statements;

  return {
    transaction,
    durable: path === ':memory:' ? () => Promise.resolve() : grouped(() => syncFile(`${path}-wal`)),
    close: () => database.close(),

    insertEndpoint: (endpoint) =>
      run('INSERT INTO endpoints VALUES (?, ?, ?)', endpoint.id, endpoint.createdAt, JSON.stringify(endpoint)),
    listEndpoints: () =>
      all('SELECT record FROM endpoints ORDER BY created_at, rowid').map(
        ({ record }) => JSON.parse(record as string) as EndpointRecord,
      ),
    deleteEndpoint: (id) =>
      transaction(() => {
        run('DELETE FROM job_chunks WHERE job_id IN (SELECT id FROM jobs WHERE endpoint_id = ?)', id);
        run('DELETE FROM jobs WHERE endpoint_id = ?', id);
        run('DELETE FROM endpoints WHERE id = ?', id);
      }),
    deleteStrayWorkers: () =>
      transaction(() => {
        const stray = 'FROM workers WHERE endpoint_id NOT IN (SELECT id FROM endpoints)';
        run(`DELETE FROM log_lines WHERE worker_id IN (SELECT id ${stray})`);
        run(`DELETE ${stray}`);
      }),

    ...sqliteJobs(statements),

    insertWorker: ({ id, endpointId, createdAt }) =>
      run('INSERT INTO workers VALUES (?, ?, ?)', id, endpointId, createdAt),
    getWorker: (endpointId, id) =>
      mapped(one('SELECT * FROM workers WHERE endpoint_id = ? AND id = ?', endpointId, id), (row) => ({
        id,
        endpointId,
        createdAt: row['created_at'] as number,
      })),
    insertRun: (record: RunRecord) => void statements.prepare(insertOf('runs', RUN_COLUMNS)).run(runParameters(record)),
    touchRuns: (now) => run('UPDATE runs SET last_seen_at = ? WHERE ended_at IS NULL', now),
    endRun: (id, endedAt) => run('UPDATE runs SET ended_at = ?2, last_seen_at = ?2 WHERE id = ?1', id, endedAt),
    openRuns: () => all('SELECT * FROM runs WHERE ended_at IS NULL').map(runOfRow),
    usageBetween: (from, to) =>
      all('SELECT * FROM runs WHERE started_at < ? AND (ended_at IS NULL OR ended_at > ?)', to, from).map(runOfRow),

    appendLogLines: (workerId, lines) =>
      transaction(() => {
        for (const { ts, source, line } of lines)
          run('INSERT INTO log_lines VALUES (?, ?, ?, ?)', workerId, ts, source, line);
      }),
    trimLogLines: (workerId, cap) => run(TRIM_LOG_LINES, workerId, cap),
    lastLogLines: (workerId, { source, limit }) =>
      logLines(
        source === undefined
          ? all(`${LOG_LINES} ORDER BY ts DESC LIMIT ?`, workerId, limit)
          : all(`${LOG_LINES} AND source = ? ORDER BY ts DESC LIMIT ?`, workerId, source, limit),
      ).reverse(),
    logLinesAfter: (workerId, ts, { source, limit }: LogQuery) =>
      logLines(
        source === undefined
          ? all(`${LOG_LINES} AND ts > ? ORDER BY ts LIMIT ?`, workerId, ts, limit)
          : all(`${LOG_LINES} AND ts > ? AND source = ? ORDER BY ts LIMIT ?`, workerId, ts, source, limit),
      ),
    newestLogTs: (workerId) =>
      (one('SELECT max(ts) AS newest FROM log_lines WHERE worker_id = ?', workerId)?.['newest'] as string | null) ??
      undefined,
  };
}

const LOG_LINES = 'SELECT * FROM log_lines WHERE worker_id = ?';

const TRIM_LOG_LINES = `
  DELETE FROM log_lines WHERE worker_id = ?1 AND ts <= (
    SELECT ts FROM log_lines WHERE worker_id = ?1 ORDER BY ts DESC LIMIT 1 OFFSET ?2)`;

const RUN_COLUMNS = [
  ...['id', 'worker_id', 'endpoint_id', 'pid', 'process_start', 'started_at', 'last_seen_at', 'ended_at'],
  ...['resource', 'nano_usd_per_second', 'disk_gb'],
];

function logLines(rows: readonly Row[]): LogLine[] {
  return rows.map((row) => ({
    ts: row['ts'] as string,
    source: row['source'] as LogLine['source'],
    line: row['line'] as string,
  }));
}

/** Waits until a file is on disk. The write-ahead log is there from the first write on; before it there is nothing to wait for. */
async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  try {
    await handle?.datasync();
  } finally {
    await handle?.close();
  }
}
