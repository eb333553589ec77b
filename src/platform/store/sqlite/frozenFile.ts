import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { hasFile } from './databaseFile.ts';

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
