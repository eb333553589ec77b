import { open } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { JOB_STATUSES, type JobStatus } from '../../contract/job.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { grouped } from './grouped.ts';
import { MIGRATIONS } from './migrations.ts';
import { jobOfRow, jobParameters, runOfRow, runParameters, type Row } from './rows.ts';
import { sqliteModule } from './sqliteModule.ts';
import { NewerSchemaError, type JobCounts, type LogLine, type LogQuery, type RunRecord, type Store } from './store.ts';

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
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const one = (sql: string, ...values: (string | number)[]): Row | undefined => prepare(sql).get(...values);
  const all = (sql: string, ...values: (string | number)[]): Row[] => prepare(sql).all(...values);
  const run = (sql: string, ...values: (string | number)[]): void => void prepare(sql).run(...values);

  let depth = 0;
  const transaction = <T>(work: () => T): T => {
    if (depth > 0) return work();
    database.exec('BEGIN IMMEDIATE');
    depth++;
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    } finally {
      depth--;
    }
  };

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

    insertJob: (job) => void prepare(insertOf('jobs', JOB_COLUMNS)).run(jobParameters(job)),
    updateJob: (job) => void prepare(UPDATE_JOB).run(jobParameters(job)),
    getJob: (endpointId, id) =>
      mapped(one('SELECT * FROM jobs WHERE endpoint_id = ? AND id = ?', endpointId, id), jobOfRow),
    nextQueuedJob: (endpointId) =>
      mapped(one(`${QUEUED} ORDER BY queued_at, rowid LIMIT 1`, endpointId, 'IN_QUEUE'), jobOfRow),
    queuedSince: (endpointId, limit) =>
      all(QUEUED_SINCE, endpointId, 'IN_QUEUE', limit).map((row) => row['queued_at'] as number),
    listJobs: (endpointId, status) => all(`${QUEUED} ORDER BY queued_at, rowid`, endpointId, status).map(jobOfRow),
    countJobs: (endpointId) => jobCounts(all(COUNT_JOBS, endpointId)),
    removeExpiredJobs: (now) =>
      transaction(() => {
        const expired = all('SELECT * FROM jobs WHERE expires_at <= ?', now).map(jobOfRow);
        for (const { id } of expired) {
          run('DELETE FROM job_chunks WHERE job_id = ?', id);
          run('DELETE FROM jobs WHERE id = ?', id);
        }
        return expired;
      }),
    nextExpiry: () => (one('SELECT min(expires_at) AS next FROM jobs')?.['next'] as number | null) ?? undefined,

    appendChunk: (jobId, output) =>
      run('INSERT INTO job_chunks (job_id, output) VALUES (?, ?)', jobId, JSON.stringify(output)),
    takeChunks: (jobId) =>
      transaction(() => {
        const chunks = all('SELECT output FROM job_chunks WHERE job_id = ? ORDER BY sequence', jobId);
        if (chunks.length > 0) run('DELETE FROM job_chunks WHERE job_id = ?', jobId);
        return chunks.map(({ output }) => JSON.parse(output as string) as unknown);
      }),

    insertWorker: ({ id, endpointId, createdAt }) =>
      run('INSERT INTO workers VALUES (?, ?, ?)', id, endpointId, createdAt),
    getWorker: (endpointId, id) =>
      mapped(one('SELECT * FROM workers WHERE endpoint_id = ? AND id = ?', endpointId, id), (row) => ({
        id,
        endpointId,
        createdAt: row['created_at'] as number,
      })),
    insertRun: (record: RunRecord) => void prepare(insertOf('runs', RUN_COLUMNS)).run(runParameters(record)),
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

const QUEUED = 'SELECT * FROM jobs WHERE endpoint_id = ? AND status = ?';
const QUEUED_SINCE = `
  SELECT queued_at FROM jobs WHERE endpoint_id = ? AND status = ? AND low_priority = 0 ORDER BY queued_at LIMIT ?`;
const COUNT_JOBS =
  'SELECT status, count(*) AS jobs, sum(retries) AS retries FROM jobs WHERE endpoint_id = ? GROUP BY status';
const LOG_LINES = 'SELECT * FROM log_lines WHERE worker_id = ?';

const TRIM_LOG_LINES = `
  DELETE FROM log_lines WHERE worker_id = ?1 AND ts <= (
    SELECT ts FROM log_lines WHERE worker_id = ?1 ORDER BY ts DESC LIMIT 1 OFFSET ?2)`;

const JOB_COLUMNS = [
  ...['id', 'endpoint_id', 'status', 'low_priority', 'created_at', 'queued_at', 'started_at', 'finished_at'],
  ...['expires_at', 'worker_id', 'lost_workers', 'retries', 'request', 'output', 'error'],
];
const RUN_COLUMNS = [
  ...['id', 'worker_id', 'endpoint_id', 'pid', 'process_start', 'started_at', 'last_seen_at', 'ended_at'],
  ...['resource', 'nano_usd_per_second', 'disk_gb'],
];
const UPDATE_JOB = `UPDATE jobs SET ${JOB_COLUMNS.map((name) => `${name} = :${name}`).join(', ')} WHERE id = :id`;

function insertOf(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`;
}

function mapped<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}

function jobCounts(rows: readonly Row[]): JobCounts {
  const counts = { ...Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])), retries: 0 } as Record<
    JobStatus | 'retries',
    number
  >;
  for (const row of rows) {
    counts[row['status'] as JobStatus] = row['jobs'] as number;
    counts.retries += row['retries'] as number;
  }
  return counts;
}

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
