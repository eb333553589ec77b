import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PRIVATE_FILE } from './privateFiles.ts';

export const KEY_BYTES = 32;

/** Problems with the key of a data directory. */
export type SecretKeyProblem = 'missing' | 'damaged' | 'unreadable' | 'unwritable' | 'wrong';

const DESCRIPTIONS: Readonly<Record<SecretKeyProblem, string>> = {
  missing: 'is missing',
  damaged: `is not a key: it must have ${KEY_BYTES} bytes`,
  unreadable: 'cannot be read',
  unwritable: 'cannot be written',
  wrong: 'is not the key that the stored secrets were encrypted with',
};

/** Thrown if the key file cannot be used to decrypt the stored secrets. */
export class SecretKeyError extends Error {
  readonly problem: SecretKeyProblem;

  constructor(problem: SecretKeyProblem, file: string, cause?: unknown) {
    super(`${file} ${DESCRIPTIONS[problem]}`, { cause });
    this.name = 'SecretKeyError';
    this.problem = problem;
  }
}

export interface SecretKey {
  /** @throws SecretKeyError */
  readonly get: () => Buffer;
  /** Creates the file if it does not exist. @throws SecretKeyError */
  readonly getOrCreate: () => Buffer;
}

/** Gives access to the key in a file, which is read only once. */
export function secretKey(file: string): SecretKey {
  let known: Buffer | undefined;
  const get = (): Buffer => (known ??= read(file));
  return {
    get,
    getOrCreate: () => {
      try {
        return get();
      } catch (error) {
        if (!(error instanceof SecretKeyError) || error.problem !== 'missing') throw error;
        return (known = create(file));
      }
    },
  };
}

function read(file: string): Buffer {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new SecretKeyError(isMissing ? 'missing' : 'unreadable', file, error);
  }
  if (key.length !== KEY_BYTES) throw new SecretKeyError('damaged', file);
  return key;
}

function create(file: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  try {
    writeFileSync(file, key, { flag: 'wx', mode: PRIVATE_FILE, flush: true });
  } catch (error) {
    throw new SecretKeyError('unwritable', file, error);
  }
  syncDirectory(dirname(file));
  return key;
}

/** Flushes the directory entry, because all encrypted data is lost without the key file. Windows neither supports nor needs this. */
function syncDirectory(directory: string): void {
  try {
    const handle = openSync(directory, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The file's content is already on disk.
  }
}
