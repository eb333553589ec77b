import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { LogStore } from '../logStore.ts';
import { secretBox, type SecretBox } from '../../secrets/secretBox.ts';
import { validateRows } from './importedRows.ts';
import { openFile, withFile, freeze, type FrozenFile } from './databaseFile.ts';
import { migrate, versionOf } from './migrate.ts';
import { openQuarantine, recordParser, type OnSetAside } from './quarantine.ts';
import {
  sqliteAccounts,
  sqliteResources,
  sqliteImages,
  sqlitePulledImages,
  sqliteWebhooks,
  sqliteEndpoints,
} from './sqliteRecords.ts';
import { sqliteJobs } from './sqliteJobs.ts';
import { sqliteLargeValues } from './sqliteLargeValues.ts';
import { openSqliteLogs } from './sqliteLogs.ts';
import type { Contents, SnapshotContents, Store } from '../store.ts';
import { replaceContents } from './snapshot.ts';
import { SnapshotWriter } from './snapshotWriter.ts';
import { sqliteGatePorts, sqliteRuns, sqliteTraces } from './sqliteRuns.ts';
import { SCHEMA } from './schema.ts';
import { checkKey, proveKey, sealing, type Sealing } from './sealing.ts';
import { sqliteMetrics } from './sqliteMetrics.ts';
import { sqliteUsage } from './sqliteUsage.ts';
import { statementsOf } from './statements.ts';
import { isFailedSync, isStorageFull } from '../../storageFull.ts';
import { SyncedFile } from './syncedFile.ts';

interface StoreOptions {
  /** Initial contents. Any value except 'kept' replaces the existing data atomically. */
  readonly contents?: Contents;
  /** Encrypts secrets. Default: uses the key in the file next to the database. */
  readonly secrets?: SecretBox;
  /** Called for each unusable record, once it is in quarantine. */
  readonly onSetAside?: OnSetAside;
  /** Called once if the disk fails to store data that was written. The process must then stop, so that the next one recovers the data. */
  readonly onFailedSync?: (file: string, error: Error) => void;
}

/**
 * Opens the store in a SQLite file, or in memory if the path is `:memory:`. Logs are in a second file next to it.
 *
 * @throws SnapshotError; StartFailure nodeTooOld; OtherSchemaError; SecretKeyError; StoreFileError
 */
export function openSqliteStore(path: string, options: StoreOptions = {}): Store {
  const {
    contents = 'kept',
    secrets = secretBox(siblingOf(path, SECRET_KEY_FILE)),
    onSetAside = ignored,
    onFailedSync = ignored,
  } = options;
  const database = openFile(path);
  let logs: LogStore | undefined;
  try {
    const seals = sealing(secrets);
    // The exclusive lock is held from the start. A second platform on the same file thus fails at its start and not at a write.
    // Commits do not wait for the disk. `flush` does, for many commits at once.
    // The checkpoint size is 16 MB, because a page that many jobs change is then written back only once.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000',
    );
    const openLogs = (): LogStore => (logs = openSqliteLogs(siblingOf(path, LOG_FILE) ?? '', contents, onSetAside));
    checkpoint(database, 'TRUNCATE');
    if (contents === 'kept') {
      versionOf(database, SCHEMA);
      checkKey(database, secrets);
      migrate(database, SCHEMA, () => proveKey(database, secrets));
    } else {
      const within = (): void => {
        proveKey(database, secrets);
        openLogs();
      };
      const validate = (from: SnapshotContents): void => validateRows(database, { secrets, seals, contents: from });
      replaceContents(database, SCHEMA, { part: 'main', contents, validate, within });
    }
    logs ??= openLogs();
    return sqliteStore(database, path, { logs, seals, onSetAside, onFailedSync });
  } catch (error) {
    // A database that stays open keeps its lock, and the next attempt would fail.
    logs?.close();
    database.close();
    throw withFile(path, error);
  }
}

/**
 * Copies the write-ahead log into the database. At the start, `TRUNCATE` also empties the log of an earlier process. After a failed fsync,
 * that log can contain writes that are only in memory and that no later fsync would store. Later writes to it would be lost with them.
 */
function checkpoint(database: DatabaseSync, mode: 'TRUNCATE' | 'PASSIVE'): void {
  try {
    database.exec(`PRAGMA wal_checkpoint(${mode})`);
  } catch (error) {
    // A full disk has room for no copy, but has not failed.
    if (!isStorageFull(error)) throw error;
  }
}

const LOG_FILE = 'logs.sqlite';
const SECRET_KEY_FILE = 'secrets.key';

/** Returns the path of a file next to the store's file. Undefined for a store in memory. */
function siblingOf(path: string, name: string): string | undefined {
  return path === ':memory:' ? undefined : join(dirname(path), name);
}

const ignored = (): void => undefined;

interface StoreParts {
  readonly logs: LogStore;
  readonly seals: Sealing;
  readonly onSetAside: OnSetAside;
  readonly onFailedSync: NonNullable<StoreOptions['onFailedSync']>;
}

/**
 * Open databases after a failed fsync. Closing one would copy its log, which may have lost writes, into the database. The next process
 * recovers the data instead.
 */
const abandoned: DatabaseSync[] = [];

function sqliteStore(
  database: DatabaseSync,
  path: string,
  { logs, seals, onSetAside, onFailedSync }: StoreParts,
): Store {
  const reportFailedSync = (error: unknown): void => {
    if (isFailedSync(error)) writeAhead?.fail(error as Error);
  };
  const statements = statementsOf(database, reportFailedSync);
  const quarantine = openQuarantine(statements, recordParser(seals), onSetAside);
  quarantine.sweep();
  // SQLite creates the write-ahead log with the first write. The lock prevents its replacement.
  const log = `${path}-wal`;
  const onFailed = (error: Error): void => {
    database.exec('PRAGMA wal_autocheckpoint = 0');
    onFailedSync(log, error);
  };
  const writeAhead = path === ':memory:' ? undefined : new SyncedFile(log, statements.commits, onFailed);

  /** Whether a snapshot is being written, which needs the file of the database as it is. */
  let isFrozen = false;
  const freezeMain = (copy: string): FrozenFile => {
    try {
      const frozen = freeze(database, path, copy);
      isFrozen = true;
      const release = (): void => {
        isFrozen = false;
        // After a failed fsync, the log must stay as it is.
        if (!writeAhead?.failed) frozen.release();
      };
      return { ...frozen, release };
    } catch (error) {
      reportFailedSync(error);
      throw error;
    }
  };
  const snapshots = new SnapshotWriter(path, (file) => {
    const main = freezeMain(`${file}-main`);
    try {
      return { main, logs: logs.freeze(`${file}-logs`) };
    } catch (error) {
      main.release();
      throw error;
    }
  });

  const usage = sqliteUsage(statements);
  const flush = (): Promise<void> => writeAhead?.sync() ?? Promise.resolve();
  const emptyLog = async (): Promise<void> => {
    await flush();
    if (isFrozen || writeAhead?.failed || !database.isOpen) return;
    try {
      checkpoint(database, 'PASSIVE');
    } catch (error) {
      reportFailedSync(error);
      throw error;
    }
  };
  const largeValues = sqliteLargeValues(statements, emptyLog);
  const jobs = sqliteJobs(statements, { sealing: seals, quarantine, largeValues });
  return {
    transaction: statements.transaction,
    checkPart: () => quarantine.sweepPart() || logs.checkPart(),
    flush,
    flushSoon: () => writeAhead?.soon(),
    pendingFlush: () => writeAhead?.pending(),
    emptyLog,
    writeSnapshot: (file, begin = ignored) => snapshots.write(file, begin),
    close: () => {
      snapshots.close();
      logs.close();
      writeAhead?.close();
      if (writeAhead?.failed) abandoned.push(database);
      else database.close();
    },

    accounts: sqliteAccounts(statements),
    endpoints: sqliteEndpoints(statements, { sealing: seals, quarantine }),
    jobs,
    runs: sqliteRuns(statements, { usage, logs, sealing: seals }),
    gatePorts: sqliteGatePorts(statements),
    resources: sqliteResources(statements, seals),
    images: sqliteImages(statements),
    pulledImages: sqlitePulledImages(statements),
    largeValues,
    usage,
    metrics: sqliteMetrics(statements),
    traces: sqliteTraces(statements),
    webhooks: sqliteWebhooks(statements, seals),
    logs,
  };
}
