import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../secrets/privateFiles.ts';

const FILE = 'session.key';
const BYTES = 32;

/**
 * Returns the secret that signs sessions. It is created once per data directory, in a file that only the user of the platform can read.
 * The database does not contain it, so a copy of the data does not let anyone sign in. Without a directory, the secret is in memory only,
 * and sessions end when the platform stops.
 *
 * @throws the file system's error
 */
export async function sessionSecret(directory: string | undefined): Promise<Uint8Array> {
  if (directory === undefined) return randomBytes(BYTES);
  const kept = await readFile(join(directory, FILE)).catch(() => undefined);
  return kept?.byteLength === BYTES ? kept : newSessionSecret(directory);
}

/** Replaces the secret, which invalidates all existing sessions. @throws the file system's error */
export async function newSessionSecret(directory: string | undefined): Promise<Uint8Array> {
  const fresh = randomBytes(BYTES);
  if (directory !== undefined) await writeFile(join(directory, FILE), fresh, { mode: PRIVATE_FILE, flush: true });
  return fresh;
}
