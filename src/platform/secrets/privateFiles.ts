import { chmodSync, closeSync, fstatSync, openSync } from 'node:fs';

/*
 * Files and directories that only their user may read. Windows has no modes: a file inherits the access list of its directory. In the
 * user's profile, that list allows only the user and administrators.
 */

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;
/** Permission bits of group and others. */
export const OTHERS = 0o077;

/**
 * Creates the file unless it exists, readable only by its user regardless of the umask. SQLite would create a file that everyone can
 * read. The files that SQLite adds to a database have the mode of the database.
 *
 * @throws the file system's error
 */
export function createPrivateFile(file: string): void {
  const handle = openSync(file, 'a', PRIVATE_FILE);
  try {
    if (process.platform !== 'win32' && (fstatSync(handle).mode & OTHERS) !== 0) chmodSync(file, PRIVATE_FILE);
  } finally {
    closeSync(handle);
  }
}
