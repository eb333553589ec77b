import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { workerUsage } from '../domain/usage.ts';
import type { LogStore } from './logStore.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { openQuarantine, type OnSetAside } from './quarantine.ts';
import { runOfRow, runParameters } from './rows.ts';
import { sqliteAccounts } from './sqliteAccounts.ts';
import { sqliteEndpoints } from './sqliteEndpoints.ts';
import { sqliteImages } from './sqliteImages.ts';
import { sqliteJobs } from './sqliteJobs.ts';
import { openSqliteLogs } from './sqliteLogs.ts';
import { replaceContents, writeSnapshot, type Contents } from './snapshot.ts';
import { sqliteWebhooks } from './sqliteWebhooks.ts';
import { listPublicTemplates, sqliteResources } from './sqliteResources.ts';
import { sqliteModule } from './sqliteModule.ts';
import { sqliteUsage } from './sqliteUsage.ts';
import { insertOf, mapped, statementsOf } from './statements.ts';
import type { RunRecord, Store } from './store.ts';
import { SyncedFile } from './syncedFile.ts';

/**
 * The store in a SQLite file, or in memory when the path is `:memory:`. Logs are in a file beside it.
 *
 * @param contents what it is to have; other than 'kept' replaces what is there, wholly or not at all
 * @param onSetAside told of each record that cannot be used, and is set aside
 * @throws SnapshotError; StartFailure nodeTooOld; NewerSchemaError; SQLite's own error (ERR_SQLITE_ERROR, errcode 5) when another process has the file
 */
export function openSqliteStore(path: string, contents: Contents = 'kept', onSetAside: OnSetAside = ignored): Store {
  const database = new (sqliteModule().DatabaseSync)(path);
  try {
    // The lock is taken once and for all: a second platform on the same file must fail at its start, not at some write.
    // A commit is written to the log and not waited for: `durable` waits, for many commits at once.
    // The log is written back when it has 16 MB: a page that many jobs change meanwhile is written back once.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000',
    );
    let logs: LogStore | undefined;
    const openLogs = (): LogStore => (logs = openSqliteLogs(logFileOf(path), contents, onSetAside));
    if (contents === 'kept') migrate(database, MIGRATIONS);
    else replaceContents(database, MIGRATIONS, { part: 'main', contents, within: openLogs });
    return sqliteStore(database, path, { logs: logs ?? openLogs(), onSetAside });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Logs have a file beside the store's own. */
function logFileOf(path: string): string {
  return path === ':memory:' ? '' : join(dirname(path), 'logs.sqlite');
}

const ignored = (): void => undefined;

interface StoreParts {
  readonly logs: LogStore;
  readonly onSetAside: OnSetAside;
}

function sqliteStore(database: DatabaseSync, path: string, { logs, onSetAside }: StoreParts): Store {
  const statements = statementsOf(database);
  const quarantine = openQuarantine(statements, (_kind, _id, text) => JSON.parse(text) as unknown, onSetAside);
  quarantine.sweep();
  const { one, all, run, transaction } = statements;
  // The write-ahead log, which is there from the first write on; the lock keeps it from being replaced.
  const writeAhead = path === ':memory:' ? undefined : new SyncedFile(`${path}-wal`, statements.commits);

  const usage = sqliteUsage(statements);
  const jobs = sqliteJobs(statements, quarantine);
  const putRun = (record: RunRecord): void => void run(PUT_RUN, runParameters(record));

  return {
    ...usage,
    transaction,
    durable: () => writeAhead?.sync() ?? Promise.resolve(),
    durableSoon: () => writeAhead?.soon(),
    quiet: () => writeAhead?.quiet(),
    logs,
    writeSnapshot: (file) => {
      writeSnapshot(database, file);
      logs.addToSnapshot(file);
    },
    close: () => {
      logs.close();
      writeAhead?.close();
      database.close();
    },

    ...sqliteAccounts(statements),
    ...sqliteEndpoints(statements, jobs, quarantine),
    deleteStrayWorkers: () => {
      const stray =
        'FROM workers WHERE endpoint_id NOT IN (SELECT id FROM endpoints UNION SELECT record_id FROM quarantine)';
      logs.remove(all(`SELECT id ${stray}`).map(({ id }) => id as string));
      run(`DELETE ${stray}`);
    },

    ...jobs,
    ...sqliteWebhooks(statements),
    ...sqliteImages(statements),
    resourcesOf: (accountId) => sqliteResources(statements, accountId),
    listPublicTemplates: () => listPublicTemplates(statements),

    insertWorker: ({ id, endpointId, createdAt }) =>
      run('INSERT OR IGNORE INTO workers VALUES (?, ?, ?)', id, endpointId, createdAt),
    getWorker: (endpointId, id) =>
      mapped(one('SELECT * FROM workers WHERE endpoint_id = ? AND id = ?', endpointId, id), (row) => ({
        id,
        endpointId,
        createdAt: row['created_at'] as number,
      })),
    announceRun: (record) => putRun({ ...record, pid: 0, processStart: undefined }),
    insertRun: (record) =>
      transaction(() => {
        putRun(record);
        for (const begun of workerUsage(record, record)) usage.startUsage(begun);
      }),
    touchRuns: (now) => run('UPDATE runs SET last_seen_at = ?', now),
    endRun: (id, endedAt) =>
      transaction(() => {
        run('DELETE FROM runs WHERE id = ?', id);
        usage.endUsage(id, endedAt);
      }),
    openRuns: () => all('SELECT * FROM runs').map(runOfRow),
  };
}

const RUN_COLUMNS = ['id', 'worker_id', 'endpoint_id', 'pid', 'process_start', 'started_at', 'last_seen_at'];
const PUT_RUN = insertOf('runs', RUN_COLUMNS).replace('INSERT', 'INSERT OR REPLACE');
