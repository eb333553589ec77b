import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { workerUsage } from '../../domain/usage.ts';
import type { LogStore } from '../logStore.ts';
import { secretBox, type SecretBox } from '../../secrets/secretBox.ts';
import { admit } from './admission.ts';
import { explained, openFile } from './databaseFile.ts';
import { checkKey, proveKey, scrub } from './keyProof.ts';
import { migrate, versionOf } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { openQuarantine, recordParser, type OnSetAside } from './quarantine.ts';
import { runOfRow, runParameters } from './rows.ts';
import { sqliteAccounts } from './sqliteAccounts.ts';
import { sqliteEndpoints } from './sqliteEndpoints.ts';
import { sqliteImages } from './sqliteImages.ts';
import { sqliteJobs } from './sqliteJobs.ts';
import { openSqliteLogs } from './sqliteLogs.ts';
import { replaceContents, writeSnapshot, type Contents, type SnapshotContents } from './snapshot.ts';
import { sqliteWebhooks } from './sqliteWebhooks.ts';
import { listPublicTemplates, sqliteResources } from './sqliteResources.ts';
import { defineSealing, sealing, type Sealing } from './sealing.ts';
import { sqliteUsage } from './sqliteUsage.ts';
import { insertOf, mapped, statementsOf } from './statements.ts';
import type { RunRecord, Store } from '../store.ts';
import { SyncedFile } from './syncedFile.ts';

export interface StoreOptions {
  /** Initial contents. Any value except 'kept' replaces the existing data atomically. */
  readonly contents?: Contents;
  /** Encrypts secrets. Default: uses the key in the file next to the database. */
  readonly secrets?: SecretBox;
  /** Called for each unusable record, once it is in quarantine. */
  readonly onSetAside?: OnSetAside;
}

/**
 * Opens the store in a SQLite file, or in memory if the path is `:memory:`. Logs are in a second file next to it.
 *
 * @throws SnapshotError; StartFailure nodeTooOld; NewerSchemaError; SecretKeyError; StoreFileError
 */
export function openSqliteStore(path: string, options: StoreOptions = {}): Store {
  const { contents = 'kept', secrets = secretBox(besides(path, SECRET_KEY_FILE)), onSetAside = ignored } = options;
  const database = openFile(path);
  try {
    const seals = sealing(secrets);
    defineSealing(database, seals);
    // The lock is taken once and for all: a second platform on the same file must fail at its start, not at some write.
    // A commit is written to the log and not waited for: `durable` waits, for many commits at once.
    // The log is written back when it has 16 MB: a page that many jobs change meanwhile is written back once.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000',
    );
    let logs: LogStore | undefined;
    const openLogs = (): LogStore => (logs = openSqliteLogs(besides(path, LOG_FILE) ?? '', contents, onSetAside));
    if (contents === 'kept') {
      versionOf(database, MIGRATIONS);
      checkKey(database, secrets);
      migrate(database, MIGRATIONS, () => proveKey(database, secrets));
    } else {
      const within = (): void => {
        proveKey(database, secrets);
        openLogs();
      };
      const admitRows = (from: SnapshotContents): void => admit(database, { secrets, seals, contents: from });
      replaceContents(database, MIGRATIONS, { part: 'main', contents, admit: admitRows, within });
    }
    scrub(database);
    return sqliteStore(database, path, { logs: logs ?? openLogs(), seals, onSetAside });
  } catch (error) {
    database.close();
    throw explained(path, error);
  }
}

const LOG_FILE = 'logs.sqlite';
const SECRET_KEY_FILE = 'secrets.key';

/** Path of a file next to the store's file; undefined for a store in memory. */
function besides(path: string, name: string): string | undefined {
  return path === ':memory:' ? undefined : join(dirname(path), name);
}

const ignored = (): void => undefined;

interface StoreParts {
  readonly logs: LogStore;
  readonly seals: Sealing;
  readonly onSetAside: OnSetAside;
}

function sqliteStore(database: DatabaseSync, path: string, { logs, seals, onSetAside }: StoreParts): Store {
  const statements = statementsOf(database);
  const quarantine = openQuarantine(statements, recordParser(seals), onSetAside);
  quarantine.sweep();
  const { one, all, run, transaction } = statements;
  // The write-ahead log, which is there from the first write on; the lock keeps it from being replaced.
  const writeAhead = path === ':memory:' ? undefined : new SyncedFile(`${path}-wal`, statements.commits);

  const usage = sqliteUsage(statements);
  const jobs = sqliteJobs(statements, { sealing: seals, quarantine });
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
    ...sqliteEndpoints(statements, { jobs, sealing: seals, quarantine }),
    deleteStrayWorkers: () => {
      const stray =
        'FROM workers WHERE endpoint_id NOT IN (SELECT id FROM endpoints UNION SELECT record_id FROM quarantine)';
      logs.remove(all(`SELECT id ${stray}`).map(({ id }) => id as string));
      run(`DELETE ${stray}`);
    },

    ...jobs,
    ...sqliteWebhooks(statements, seals),
    ...sqliteImages(statements),
    resourcesOf: (accountId) => sqliteResources(statements, accountId, seals),
    listPublicTemplates: () => listPublicTemplates(statements, seals),

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
