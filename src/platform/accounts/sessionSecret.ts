import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'session.key';
const BYTES = 32;

/**
 * What sessions are signed with: made once per data directory, for its user's eyes only, and not in the database, as who has a copy of the
 * data should not be able to sign in. Without a directory sessions end with the platform.
 */
export async function sessionSecret(directory: string | undefined): Promise<Uint8Array> {
  const fresh = randomBytes(BYTES);
  if (directory === undefined) return fresh;
  const file = join(directory, FILE);
  const kept = await readFile(file).catch(() => undefined);
  if (kept?.byteLength === BYTES) return kept;
  await writeFile(file, fresh, { mode: 0o600 });
  return fresh;
}
