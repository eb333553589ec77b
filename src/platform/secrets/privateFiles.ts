import { chmodSync, closeSync, fstatSync, openSync } from 'node:fs';

/*
 * Files and directories that only their user may read. Windows has no modes: there a file has the access list of the directory it is
 * made in, which for a directory of the user's profile lets in the user and administrators.
 */

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;
/** What others than the user may do. */
export const OTHERS = 0o077;

/**
 * Makes the file unless it is there, for its user only whatever the umask is. SQLite would make it for everyone to read; the files it
 * adds to a database get the mode that the database has.
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
