import type { DatabaseSync } from 'node:sqlite';
import { rmSync } from 'node:fs';
import { createPrivateFile } from '../../secrets/privateFiles.ts';
import { sqliteModule } from './sqliteModule.ts';
import { StoreFileError } from '../store.ts';

/** @param path file, or one of SQLite's names for a database without a file. @throws StoreFileError; StartFailure nodeTooOld */
export function openFile(path: string): DatabaseSync {
  const { DatabaseSync: Database } = sqliteModule();
  try {
    if (hasFile(path)) createPrivateFile(path);
    return new Database(path);
  } catch (error) {
    throw withFile(path, error);
  }
}

/** SQLite's names for a database in memory and in a temporary file. */
const NO_FILES = [':memory:', ''];

export const hasFile = (path: string): boolean => !NO_FILES.includes(path);

/** Adds the file to an error of SQLite or the file system. Returns any other error unchanged. */
export function withFile(path: string, error: unknown): unknown {
  const isSystemError = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isSqliteError(error) || isSystemError ? new StoreFileError(path, error as Error) : error;
}

/** Returns true if the file is damaged or is not a database. */
export function isDamage({ errcode = 0 }: { readonly errcode?: number }): boolean {
  // Extended result codes contain the primary code in their lowest byte.
  const code = errcode & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/* Result codes of SQLite. */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export function isSqliteError(error: unknown): error is Error & { readonly errcode?: number } {
  return (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR';
}

/** Files of errors from databases other than the main one. */
const failedFiles = new WeakMap<Error, string>();

/** Records the file of a SQLite error, because the error does not include it. */
function recordFile(error: unknown, file: string): void {
  if (isSqliteError(error)) failedFiles.set(error, file);
}

/** Returns the recorded file of an error, or undefined for an error of the main database. */
export const recordedFile = (error: Error): string | undefined => failedFiles.get(error);

/** Wraps functions so that their SQLite errors are recorded with the file. */
export function recordingFile<Functions extends Readonly<Record<string, (...values: never[]) => unknown>>>(
  file: string,
  functions: Functions,
): Functions {
  const recording = Object.entries(functions).map(([name, action]) => [
    name,
    (...values: never[]): unknown => {
      try {
        return action(...values);
      } catch (error) {
        recordFile(error, file);
        throw error;
      }
    },
  ]);
  return Object.fromEntries(recording) as Functions;
}

/** A file with all data that was committed before a moment. */
export interface FrozenFile {
  readonly path: string;
  /** Lets the file change again, or removes it if it is a copy. */
  release(): void;
}

/**
 * Keeps the file of a database unchanged until `release`. Commits are not delayed, because they go to the write-ahead log. A database in memory
 * is copied.
 *
 * @param path path of the database
 * @param copy path for the copy of a database in memory
 * @throws the error of a full disk
 */
export function freeze(database: DatabaseSync, path: string, copy: string): FrozenFile {
  if (!hasFile(path)) {
    database.prepare('VACUUM INTO ?').run(copy);
    return { path: copy, release: () => rmSync(copy, { force: true }) };
  }
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  if (busy !== 0) throw new Error(`${path} has an open reader`);
  const { wal_autocheckpoint: pages } = database
    .prepare('PRAGMA wal_autocheckpoint')
    .get() as unknown as WalAutocheckpoint;
  database.exec('PRAGMA wal_autocheckpoint = 0');
  return {
    path,
    release: () => {
      if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    },
  };
}

interface WalAutocheckpoint {
  readonly wal_autocheckpoint: number;
}
