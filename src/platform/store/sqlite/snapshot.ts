import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SnapshotError, type Contents, type SnapshotContents } from '../store.ts';
import { isDamage } from './databaseFile.ts';
import { checkVersion, latestVersion, migrateTo, type Schema } from './migrate.ts';
import { sqliteModule } from './sqliteModule.ts';

/*
 * A snapshot contains all data of a store in one SQLite file, with the tables of the store and of the logs. Its user_version is that of
 * the store. An import creates the schema and copies only rows.
 */

/** "ccps". Distinguishes snapshots from other SQLite files. */
const APPLICATION_ID = 0x63637073;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Files of a store that do not change while they are read. */
export interface SnapshotSources {
  readonly main: string;
  readonly logs: string;
}

/** Writes a snapshot into a new file. */
export function writeSnapshot({ main, logs }: SnapshotSources, file: string): void {
  inDatabase(immutable(main), (database) => database.prepare('VACUUM INTO ?').run(file));
  inDatabase(file, (database) => {
    // A file that is not complete is removed, so it need not survive a crash.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    attached(database, immutable(logs), () => {
      for (const table of tablesOf(database, 'snapshot')) {
        database.exec(`CREATE TABLE main.${quoted(table)} AS SELECT * FROM snapshot.${quoted(table)}`);
      }
      database.exec(`CREATE TABLE ${LOGS_VERSION} AS SELECT ${versionOf(database, 'snapshot')} AS version`);
    });
    // A deleted endpoint is gone, even if its rows are not removed yet.
    database.exec(WITHOUT_REMOVED);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

const OF_REMOVED = 'endpoint_id IN (SELECT id FROM removed_endpoints)';
const WITHOUT_REMOVED = `
  PRAGMA secure_delete = ON;
  DELETE FROM job_chunks WHERE job_id IN (SELECT id FROM jobs WHERE ${OF_REMOVED});
  DELETE FROM job_requests WHERE sequence IN (SELECT sequence FROM jobs WHERE ${OF_REMOVED});
  DELETE FROM job_events WHERE job IN (SELECT sequence FROM jobs WHERE ${OF_REMOVED});
  DELETE FROM jobs WHERE ${OF_REMOVED};
  DELETE FROM job_counts WHERE ${OF_REMOVED};
  DELETE FROM metrics WHERE ${OF_REMOVED};
  DELETE FROM metric_crashes WHERE ${OF_REMOVED};
  DELETE FROM worker_events WHERE ${OF_REMOVED};
  DELETE FROM log_blocks WHERE worker_id IN (SELECT id FROM workers WHERE ${OF_REMOVED});
  DELETE FROM workers WHERE ${OF_REMOVED};
  DELETE FROM removed_endpoints`;

const LOGS_VERSION = 'snapshot_logs_version';

function inDatabase<T>(name: string, work: (database: DatabaseSync) => T): T {
  const database = new (sqliteModule().DatabaseSync)(name);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Returns the schema version of a part of a snapshot. @throws SnapshotError */
function versionIn(file: string, part: 'main' | 'logs'): number {
  try {
    return inDatabase(immutable(file), (database) => {
      const { application_id: id } = database.prepare('PRAGMA application_id').get() as { application_id: number };
      if (id !== APPLICATION_ID) throw new SnapshotError('it is not a snapshot of a local platform');
      const version = part === 'main' ? versionOf(database) : logsVersionOf(database);
      if (!(version >= 1)) throw new SnapshotError('it has no version');
      return version;
    });
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw new SnapshotError(`it cannot be read: ${(error as Error).message}`, error);
  }
}

function logsVersionOf(database: DatabaseSync): number {
  return (database.prepare(`SELECT version FROM ${LOGS_VERSION}`).get() as { version: number }).version;
}

interface Replacement {
  readonly part: 'main' | 'logs';
  readonly contents: Exclude<Contents, 'kept'>;
  /** Validates the rows of a snapshot. @throws SnapshotError */
  readonly validate?: (contents: SnapshotContents) => void;
  /** Runs in the same transaction. */
  readonly within?: () => void;
}

/**
 * Empties a database, and fills it with its part of a snapshot, if any.
 *
 * @throws SnapshotError if it is not a snapshot, is damaged, or does not match the schema of its version; OtherSchemaError
 */
export function replaceContents(
  database: DatabaseSync,
  schema: Schema,
  { part, contents, validate, within }: Replacement,
): void {
  const replace = (version: number): void => {
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const table of tablesOf(database)) database.exec(`DROP TABLE ${quoted(table)}`);
      database.exec('PRAGMA user_version = 0');
      migrateTo(database, schema, version);
      if (contents !== 'none') copyRows(database, part);
      migrateTo(database, schema, latestVersion(schema));
      if (contents !== 'none') validate?.(contents);
      within?.();
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  if (contents === 'none') replace(latestVersion(schema));
  else {
    const { snapshot } = contents;
    const version = versionIn(snapshot, part);
    checkVersion(version, schema);
    checkReadable(snapshot);
    attached(database, immutable(snapshot), () => replace(version));
  }
}

/** Returns the name by which a file is opened without locks and without its write-ahead log, because no process writes to the file. */
const immutable = (file: string): string => `${pathToFileURL(file).href}?immutable=1`;

/** Reads the schema of the snapshot in an empty database, so that the file is the only cause of a failure. @throws SnapshotError */
function checkReadable(snapshot: string): void {
  const database = new (sqliteModule().DatabaseSync)(':memory:');
  try {
    attached(database, immutable(snapshot), () => undefined);
  } catch (error) {
    throw new SnapshotError(`it cannot be read: ${(error as Error).message}`, error);
  } finally {
    database.close();
  }
}

/** Result code of SQLite. */
const SQLITE_CONSTRAINT = 19;

/** Copies the rows of the snapshot. Triggers are disabled, because the snapshot includes the counts that they maintain. */
function copyRows(database: DatabaseSync, part: Replacement['part']): void {
  const problem = schemaProblem(database, part);
  if (problem !== undefined) throw new SnapshotError(`it does not match the schema of its version: ${problem}`);
  const triggers = database.prepare("SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${quoted(name)}`);
  try {
    for (const name of tablesOf(database)) {
      const [table, columns] = [quoted(name), columnsOf(database, name)];
      // For `SELECT *`, SQLite would copy pages without reading them, including any damage.
      database.exec(
        `DELETE FROM main.${table}; INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM snapshot.${table}`,
      );
    }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    if (isDamage({ errcode })) throw new SnapshotError(`it is damaged: ${message}`, error);
    if ((errcode & 0xff) === SQLITE_CONSTRAINT)
      throw new SnapshotError(`it violates a constraint of its version: ${message}`, error);
    throw error;
  }
  for (const { sql } of triggers) database.exec(sql);
}

function attached(database: DatabaseSync, file: string, work: () => void): void {
  database.prepare('ATTACH ? AS snapshot').run(file);
  try {
    work();
  } catch (error) {
    detach(database);
    throw error;
  }
  database.exec('DETACH snapshot');
}

/** Detaches after a failure. An interrupted statement may still hold the snapshot until the database is closed. */
function detach(database: DatabaseSync): void {
  try {
    database.exec('DETACH snapshot');
  } catch {
    // The caller reports the original failure.
  }
}

type Attached = 'main' | 'snapshot';

function tablesOf(database: DatabaseSync, schema: Attached = 'main'): string[] {
  const tables = `SELECT name FROM ${schema}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;
  return database
    .prepare(tables)
    .all()
    .map(({ name }) => name as string);
}

/** Returns the columns that can be inserted, as a list in SQL. */
function columnsOf(database: DatabaseSync, table: string): string {
  const columns = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table);
  return columns.map(({ name }) => quoted(name as string)).join(', ');
}

function versionOf(database: DatabaseSync, schema: Attached = 'main'): number {
  return (database.prepare(`PRAGMA ${schema}.user_version`).get() as { user_version: number }).user_version;
}

/*
 * Checks the schema of a snapshot, which is untrusted. Only SELECT reads its rows, but a view, virtual table, or generated column would
 * let the file run its own code in that SELECT.
 */

interface Listed {
  readonly name: string;
  readonly type: string;
}

interface Column {
  readonly name: string;
  readonly hidden: number;
}

/**
 * @param database database with the expected schema of the snapshot's version, and the snapshot attached
 * @param part part of the snapshot that the database receives. Only the main part has triggers.
 * @returns a description of the first difference, or undefined if the schemas match
 */
function schemaProblem(database: DatabaseSync, part: 'main' | 'logs'): string | undefined {
  const tables = listed(database, 'snapshot');
  const active = tables.find(({ type }) => type !== 'table');
  if (active) return `${active.name} is not an ordinary table (type ${active.type})`;
  const triggers = triggersOf(database, 'main');
  const trigger = triggersOf(database, 'snapshot').find((name) => !triggers.includes(name));
  if (part === 'main' && trigger !== undefined) return `the trigger ${trigger} is unknown`;
  for (const { name } of listed(database, 'main')) {
    if (!tables.some((table) => table.name === name)) return `the table ${name} is missing`;
    if (columnDefinitions(database, 'snapshot', name) !== columnDefinitions(database, 'main', name))
      return `${name} has different columns`;
  }
  return undefined;
}

function listed(database: DatabaseSync, schema: 'main' | 'snapshot'): Listed[] {
  const own = "SELECT name, type FROM pragma_table_list WHERE schema = ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  return database.prepare(own).all(schema) as unknown as Listed[];
}

function triggersOf(database: DatabaseSync, schema: 'main' | 'snapshot'): string[] {
  const rows = database.prepare(`SELECT name FROM ${schema}.sqlite_master WHERE type = 'trigger'`).all();
  return rows.map(({ name }) => name as string);
}

/** Returns the columns as a string, for comparison. */
function columnDefinitions(database: DatabaseSync, schema: 'main' | 'snapshot', table: string): string {
  const columns = database.prepare('SELECT name, hidden FROM pragma_table_xinfo(?, ?)').all(table, schema);
  return JSON.stringify((columns as unknown as Column[]).map(({ name, hidden }) => [name, hidden]));
}
