import { mkdir, stat, chmod, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY, type PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { isHeld, lockFileOf, parseLock, type Lock } from '../../machine/platformLock.ts';
import { newOwner, readLock, takeLock, type FileLock, type LockOwner } from '../../machine/fileLock.ts';
import type { Clock } from '../time/clock.ts';
import { digestOfKey } from '../control/keyHandOver.ts';
import { PRIVATE_DIRECTORY, OTHERS, PRIVATE_FILE } from '../secrets/privateFiles.ts';
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
  const { owner, lock } = await orUnusable(absolute, () => takeFree(file, clock));
  let content: Lock = owner;
  const write = (changes: Partial<Lock>): Promise<void> => {
    content = { ...content, ...changes };
    return lock.write(content);
  };
  return {
    path: absolute,
    databaseFile: path.join(absolute, DATABASE_FILE),
    volumesDirectory: path.join(absolute, DATA_DIRECTORY.volumes),
    secretKeyFile: path.join(absolute, SECRET_KEY_FILE),
    holder: owner.holder,
    // Overwrites any lock. The open database has its own lock, so no other platform can run on this directory.
    announce: ({ apiKey, s3AccessKeyId: _id, s3SecretAccessKey: _secret, ...announcement }) =>
      write({ announcement, key: digestOfKey(apiKey) }),
    announceRelease: async () => {
      if (await lock.isOurs()) await write({ leaving: true });
    },
    release: () => lock.release(),
  };
}

/** Takes the lock as soon as no platform holds it. @throws StartFailure dataDirInUse, or the error of the file system */
async function takeFree(file: string, clock: Clock): Promise<{ readonly owner: LockOwner; readonly lock: FileLock }> {
  for (;;) {
    const found = await settledLock(file, clock);
    const holder = parseLock(found ?? '');
    if (holder && (await isHeld(holder, file))) {
      throw new StartFailure(
        'dataDirInUse',
        `the data directory ${path.dirname(file)} is in use by another local platform (process ${holder.pid})`,
        {
          remedy: `stop that platform, or choose another --data-dir; if that process is another program, remove ${file}`,
        },
      );
    }
    const owner = await newOwner();
    const lock = await takeLock(file, owner, found);
    if (lock) return { owner, lock };
    await pause(clock);
  }
}

const pause = (clock: Clock): Promise<void> => new Promise((resolve) => void clock.after(POLL_MS, resolve));

/** Waits until a partial lock is complete and a stopping platform has released its lock. Returns the text of the lock, if any. */
async function settledLock(file: string, clock: Clock): Promise<string | undefined> {
  const start = clock.now();
  for (;;) {
    const text = await readLock(file);
    if (text === undefined || clock.now() - start >= (await maxWaitMs(parseLock(text), file))) return text;
    await pause(clock);
  }
}

/** Returns the maximum wait for a change of the lock, in ms. */
async function maxWaitMs(lock: Lock | undefined, file: string): Promise<number> {
  if (!lock) return WRITING_TIMEOUT_MS;
  return lock.leaving === true && (await isHeld(lock, file)) ? LEAVING_TIMEOUT_MS : 0;
}

async function makeDirectory(directory: string): Promise<void> {
  await orUnusable(directory, async () => {
    await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
    if (!(await stat(directory)).isDirectory()) throw new Error('it is not a directory');
    await makePrivate(directory);
  });
}

async function orUnusable<T>(directory: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof StartFailure ? error : unusable(directory, error);
  }
}

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

const STICKY = 0o1000;

/**
 * Removes the permissions of other users from a data directory and the platform's files in it. Other files keep their modes. Files on
 * volumes keep them too, because other users cannot enter the directories of the volumes.
 *
 * @throws StartFailure dataDirUnusable if a file belongs to another user or the directory is shared by all; the file system's error
 */
async function makePrivate(directory: string): Promise<void> {
  // Windows has no modes: see privateFiles.ts.
  if (process.platform === 'win32') return;
  const { mode } = await stat(directory);
  if ((mode & STICKY) !== 0) throw sharedDirectory(directory);
  await restrict(directory, directory);
  for (const name of [DATA_DIRECTORY.lock, ...DATA_DIRECTORY.contents]) {
    await restrict(path.join(directory, name), directory);
  }
  const volumes = path.join(directory, DATA_DIRECTORY.volumes);
  for (const name of await readdir(volumes).catch(() => [])) await restrict(path.join(volumes, name), directory);
}

async function restrict(file: string, directory: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return;
  if (found.uid !== process.geteuid?.()) throw ownedByOther(file, directory);
  if ((found.mode & OTHERS) === 0) return;
  // Adds no permissions for the user: restrictions may be intentional.
  await chmod(file, found.mode & (found.isDirectory() ? PRIVATE_DIRECTORY : PRIVATE_FILE));
}

function ownedByOther(file: string, directory: string): StartFailure {
  const remedy = `run "chown -R ${process.geteuid?.() ?? ''} ${quoted(directory)}" as the superuser, or choose another --data-dir`;
  return new StartFailure('dataDirUnusable', `${file} belongs to another user, who could read the data`, {
    remedy,
  });
}

function sharedDirectory(directory: string): StartFailure {
  const remedy = `choose another --data-dir, such as ${path.join(directory, 'cloud-compute')}`;
  return new StartFailure('dataDirUnusable', `${directory} is shared by all users`, { remedy });
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
