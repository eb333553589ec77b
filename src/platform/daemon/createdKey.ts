import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../contract/launch/localPlatform.ts';
import { newToken } from '../ids.ts';
import { PRIVATE_FILE } from '../secrets/privateFiles.ts';
import { StartFailure } from '../startFailure.ts';

/** Returns the file of a created key in a data directory. */
export const createdKeyFile = (directory: string): string => path.join(directory, DATA_DIRECTORY.apiKey);

/**
 * Returns the owner's key in a data directory that this process has locked. Creates a random one at the first start, in a file that only
 * its user can read.
 *
 * @throws StartFailure dataDirUnusable
 */
export async function createdKey(directory: string): Promise<string> {
  const file = createdKeyFile(directory);
  try {
    const found = await readFile(file, 'utf8').catch(ignoreMissing);
    if (found !== undefined) return checked(found.split(/\r?\n/, 1)[0] ?? '', file);
    const key = newToken();
    // Renamed once it is complete, so that a crash never leaves a part of a key.
    const temporary = `${file}.new`;
    await writeFile(temporary, `${key}\n`, { mode: PRIVATE_FILE });
    await rename(temporary, file);
    return key;
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw unusable(file, (error as Error).message, error);
  }
}

/** Minimum length of a key in the file. Other machines may reach the platform, and shorter keys can be guessed over a network. */
const MIN_LENGTH = 16;

function checked(key: string, file: string): string {
  if (key.length >= MIN_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key;
  throw unusable(file, `it must contain a key of at least ${MIN_LENGTH} printable ASCII characters`);
}

function unusable(file: string, why: string, cause?: unknown): StartFailure {
  const remedy = 'make it a readable file with a key, or remove it to create another key';
  return new StartFailure('dataDirUnusable', `the owner's key in ${file} cannot be used: ${why}`, { remedy, cause });
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
