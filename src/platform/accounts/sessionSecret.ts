import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../secrets/privateFiles.ts';

const FILE = 'session.key';
const BYTES = 32;

/**
 * What sessions are signed with: made once per data directory, for its user's eyes only, and not in the database, as who has a copy of the
 * data should not be able to sign in. Without a directory sessions end with the platform.
 *
 * @throws the file system's error
 */
export async function sessionSecret(directory: string | undefined): Promise<Uint8Array> {
  if (directory === undefined) return randomBytes(BYTES);
  const kept = await readFile(join(directory, FILE)).catch(() => undefined);
  return kept?.byteLength === BYTES ? kept : newSessionSecret(directory);
}

/** Another one: sessions that were signed before are not valid any more. @throws the file system's error */
export async function newSessionSecret(directory: string | undefined): Promise<Uint8Array> {
  const fresh = randomBytes(BYTES);
  if (directory !== undefined) await writeFile(join(directory, FILE), fresh, { mode: PRIVATE_FILE, flush: true });
  return fresh;
}
