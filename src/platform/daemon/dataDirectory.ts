import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY, type PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { isHeld, lockFileOf, parseLock, type Lock } from '../../machine/platformLock.ts';
import { processStart } from '../../machine/processTable.ts';
import type { Clock } from '../time/clock.ts';
import { digestOfKey } from '../control/keyHandOver.ts';
import { makePrivate, quoted } from './privateDirectory.ts';
import { PRIVATE_DIRECTORY, PRIVATE_FILE } from '../secrets/privateFiles.ts';
import { StartFailure } from '../startFailure.ts';

/** A data directory that this process has locked. */
export interface DataDirectory {
  readonly path: string;
  readonly databaseFile: string;
  /** Parent of the directories of volumes. */
  readonly volumesDirectory: string;
  /** File with the key that encrypts stored secrets. */
  readonly secretKeyFile: string;
  /** Random secret in the lock. The platform uses it to prove to readers of the lock that it holds this directory. */
  readonly holder: string;
  /** Writes the platform's addresses and the digest of its key to the lock, so that other programs can find it. */
  announce(announcement: PlatformAnnouncement): Promise<void>;
  /** Marks the lock as about to be released, so that another platform can wait for it. */
  announceRelease(): Promise<void>;
  release(): Promise<void>;
}

/** Maximum wait in ms for a platform that is stopping. Its workers have a few seconds to exit. */
const LEAVING_TIMEOUT_MS = 15_000;
/** Maximum wait in ms for a partially written lock. */
const WRITING_TIMEOUT_MS = 500;
const POLL_MS = 50;
export const DATABASE_FILE = 'platform.sqlite';
const SECRET_KEY_FILE = 'secrets.key';

/**
 * Creates the directory if necessary, and locks it. A lock is stale if its process has ended, even if another process has the same ID
 * now. A stale lock is replaced.
 *
 * @throws StartFailure dataDirUnusable or dataDirInUse
 */
export async function lockDataDirectory(directory: string, clock: Clock): Promise<DataDirectory> {
  const absolute = path.resolve(directory);
  await makeDirectory(absolute);
  const file = lockFileOf(absolute);
  let lock: Lock = {
    pid: process.pid,
    processStart: (await processStart(process.pid)) ?? null,
    holder: randomUUID(),
  };
  /** Unique path for this process's own writes. */
  const temporaryFile = `${file}.${lock.holder}`;
  const isOurs = async (): Promise<boolean> => parseLock((await readIfExists(file)) ?? '')?.holder === lock.holder;
  /** Replaces the lock by a rename, because other processes would treat a half-written lock as stale. */
  const write = async (changes: Partial<Lock>): Promise<void> => {
    lock = { ...lock, ...changes };
    await writeFile(temporaryFile, JSON.stringify(lock), { mode: PRIVATE_FILE });
    await rename(temporaryFile, file);
  };
  while (!(await createLock(file, lock))) {
    const found = await settledLock(file, clock);
    if (found === undefined) continue;
    const holder = parseLock(found);
    if (holder && (await isHeld(holder, file))) {
      throw new StartFailure(
        'dataDirInUse',
        `the data directory ${absolute} is in use by another local platform (process ${holder.pid})`,
        {
          remedy: `stop that platform, or choose another --data-dir; if that process is another program, remove ${file}`,
        },
      );
    }
    if (await replaceStale(file, found, { lock, temporaryFile, clock })) break;
  }
  return {
    path: absolute,
    databaseFile: path.join(absolute, DATABASE_FILE),
    volumesDirectory: path.join(absolute, DATA_DIRECTORY.volumes),
    secretKeyFile: path.join(absolute, SECRET_KEY_FILE),
    holder: lock.holder,
    // Overwrites any lock. The open database has its own lock, so no other platform can run on this directory.
    announce: ({ apiKey, ...announcement }) => write({ announcement, key: digestOfKey(apiKey) }),
    announceRelease: async () => {
      if (await isOurs()) await write({ leaving: true });
    },
    release: async () => {
      if (await isOurs()) await rm(file, { force: true });
    },
  };
}

/** Waits until a partial lock is complete and a stopping platform has released its lock. Returns the text of the lock, if any. */
async function settledLock(file: string, clock: Clock): Promise<string | undefined> {
  const start = clock.now();
  for (;;) {
    const text = await readIfExists(file);
    if (text === undefined || clock.now() - start >= (await maxWaitMs(parseLock(text), file))) return text;
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
  }
}

/** Returns the maximum wait for a change of the lock, in ms. */
async function maxWaitMs(lock: Lock | undefined, file: string): Promise<number> {
  if (!lock) return WRITING_TIMEOUT_MS;
  return lock.leaving === true && (await isHeld(lock, file)) ? LEAVING_TIMEOUT_MS : 0;
}

interface Replacement {
  readonly lock: Lock;
  /** Unique path for this process's own writes. */
  readonly temporaryFile: string;
  readonly clock: Clock;
}

/**
 * Replaces a stale lock with the lock of this process. Resolves with false if another process was faster.
 *
 * The right to replace a lock is a file whose name is derived from the content of that lock, so only one process has it. If that process
 * dies, another process takes over the right in the same way. A rename replaces the lock, so that it never disappears. Otherwise, a third
 * process could create its own lock in between.
 *
 * @param staleText content of the stale lock
 */
async function replaceStale(
  file: string,
  staleText: string,
  { lock, temporaryFile, clock }: Replacement,
): Promise<boolean> {
  const rights: string[] = [];
  for (let stale = staleText; ;) {
    const right = `${file}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;
    rights.push(right);
    if (await createLock(right, lock)) break;
    const found = await settledLock(right, clock);
    if (found === undefined) return false;
    const owner = parseLock(found);
    if (owner && (await isHeld(owner, right))) {
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
      return false;
    }
    stale = found;
  }
  try {
    if ((await readIfExists(file)) !== staleText) return false;
    await writeFile(temporaryFile, JSON.stringify(lock), { mode: PRIVATE_FILE });
    await rename(temporaryFile, file);
    return true;
  } catch (error) {
    throw error instanceof StartFailure ? error : unusable(path.dirname(file), error);
  } finally {
    for (const right of rights) await rm(right, { force: true });
  }
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
    if (!(await stat(directory)).isDirectory()) throw new Error('it is not a directory');
    await makePrivate(directory);
  } catch (error) {
    throw error instanceof StartFailure ? error : unusable(directory, error);
  }
}

async function createLock(file: string, lock: Lock): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(lock), { flag: 'wx', mode: PRIVATE_FILE });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(path.dirname(file), error);
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unusable(path.dirname(file), error);
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

function unusable(directory: string, error: unknown): StartFailure {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'it is a file or is inside a file' : (error as Error).message;
  const command = `chmod u+rwx ${quoted(directory)}`;
  const remedy =
    code === 'EACCES' && process.platform !== 'win32'
      ? `run "${command}", or choose another --data-dir`
      : 'choose another --data-dir, or make this one a writable directory';
  return new StartFailure('dataDirUnusable', `the data directory ${directory} cannot be used, because ${why}`, {
    remedy,
    cause: error,
  });
}
