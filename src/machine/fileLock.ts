import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { isAlive, processStart } from './processTable.ts';

/*
 * Locks that processes hold by files. All locks of the product use this algorithm: data directories, batches, log archives, and downloads.
 *
 * - A lock appears with its whole content, as a hard link to a file that is complete. No process reads a part of a lock.
 * - The content of each lock is unique, because it contains a random holder. A lock with the same content is therefore the same lock.
 * - The right to replace a stale lock is a lock itself, a guard. Its name is derived from the content of the stale lock. The owner of the
 *   guard compares the lock with that content, and renames its own lock over it. The lock never disappears in between.
 * - A guard whose process has died is stale, too, and is replaced in the same way.
 * - A process removes only its own lock.
 */

/** Process that holds a lock. */
export const LockOwner = z.object({
  pid: z.int().min(1),
  /** Result of `processStart`. Null on systems where it is unknown. */
  processStart: z.string().nullable(),
  /** Random text. */
  holder: z.string(),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** A lock that this process holds. */
export interface FileLock {
  /** Replaces the content, even if another program removed the lock. */
  write(content: LockOwner): Promise<void>;
  /** Returns whether the file still is this lock. */
  isOurs(): Promise<boolean>;
  /** Removes the lock. A lock of another process stays. */
  release(): Promise<void>;
}

/** Locks contain the holder, which proves to a platform that a program can read its lock. */
const PRIVATE = 0o600;
/** Age in ms from which a lock without valid content is left over. File systems without hard links write a lock in two steps. */
const WRITE_MS = 10_000;

/** Holders of this process. On systems without process start times, another process may have had the same PID earlier. */
const ownHolders = new Set<string>();

/** Returns a new owner: this process, with a random holder. */
export async function newOwner(): Promise<LockOwner> {
  const start = await processStart(process.pid);
  const holder = randomUUID();
  ownHolders.add(holder);
  return { pid: process.pid, processStart: start ?? null, holder };
}

/**
 * Returns whether the process of a lock still runs. A later process with the same PID does not count, except on systems where start times
 * are unknown.
 */
export async function isRunning({ pid, processStart: start, holder }: LockOwner): Promise<boolean> {
  if (start === null && pid === process.pid) return ownHolders.has(holder);
  if (!isAlive(pid)) return false;
  // A process whose start time cannot be read now counts as the one that wrote the lock.
  return start === null || (await processStart(pid).catch(() => start)) === start;
}

/** Takes a lock. Resolves with undefined if another process holds it or was faster. @throws the error of the file system */
export async function tryLock(file: string): Promise<FileLock | undefined> {
  return tryLockBeside(file, file);
}

/** Returns whether a process holds a lock. @throws the error of the file system */
export async function isLocked(file: string): Promise<boolean> {
  const text = await readLock(file);
  return text !== undefined && (await isHeld(file, text));
}

/** Reads a lock. Resolves with undefined if there is none. */
export async function readLock(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates a lock, or replaces one that is stale. Resolves with undefined if the file has another content, so that another process was
 * faster.
 *
 * @param owner result of `newOwner`
 * @param stale content of the lock to replace. Undefined if there is no lock
 * @throws the error of the file system
 */
export async function takeLock(
  file: string,
  owner: LockOwner,
  stale: string | undefined,
): Promise<FileLock | undefined> {
  return take(file, { owner, stale, guarded: file });
}

async function tryLockBeside(file: string, guarded: string): Promise<FileLock | undefined> {
  const stale = await readLock(file);
  if (stale !== undefined && (await isHeld(file, stale))) return undefined;
  return take(file, { owner: await newOwner(), stale, guarded });
}

interface Taking {
  readonly owner: LockOwner;
  readonly stale: string | undefined;
  /** File of the lock that all guards protect, and whose name they extend. */
  readonly guarded: string;
}

async function take(file: string, { owner, stale, guarded }: Taking): Promise<FileLock | undefined> {
  const text = JSON.stringify(owner);
  let isTaken = false;
  try {
    isTaken =
      stale === undefined ? await create(file, owner, text) : await replaceStale(file, { owner, text, stale, guarded });
  } finally {
    if (!isTaken) ownHolders.delete(owner.holder);
  }
  return isTaken ? lockOf(file, owner) : undefined;
}

/** Replaces a stale lock. Resolves with false if another process replaces it, or has replaced it. */
async function replaceStale(
  file: string,
  { owner, text, stale, guarded }: Taking & { readonly text: string; readonly stale: string },
): Promise<boolean> {
  const guard = await tryLockBeside(guardOf(guarded, stale), guarded);
  if (!guard) return false;
  try {
    if ((await readLock(file)) !== stale) return false;
    await replace(file, owner, text);
    return true;
  } finally {
    await guard.release();
  }
}

const guardOf = (file: string, stale: string): string =>
  `${file}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;

const temporaryOf = (file: string, { holder }: LockOwner): string => `${file}.${holder}`;

/** Creates a lock with its whole content. Resolves with false if the file exists. */
async function create(file: string, owner: LockOwner, text: string): Promise<boolean> {
  const temporary = temporaryOf(file, owner);
  await writeFile(temporary, text, { mode: PRIVATE });
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    return !isExisting(error) && (await createInSteps(file, text));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Creates a lock on a file system without hard links, such as exFAT. Other processes treat the incomplete lock as held. */
async function createInSteps(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: PRIVATE });
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
  // A process that was suspended between the two steps may have lost the lock.
  return (await readLock(file)) === text;
}

async function replace(file: string, owner: LockOwner, text: string): Promise<void> {
  const temporary = temporaryOf(file, owner);
  try {
    await writeFile(temporary, text, { mode: PRIVATE });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function lockOf(file: string, owner: LockOwner): FileLock {
  let text = JSON.stringify(owner);
  const isOurs = async (): Promise<boolean> => (await readLock(file)) === text;
  return {
    isOurs,
    write: async (content) => {
      const next = JSON.stringify(content);
      await replace(file, content, next);
      text = next;
    },
    release: async () => {
      if (await isOurs()) await rm(file, { force: true });
      ownHolders.delete(owner.holder);
    },
  };
}

async function isHeld(file: string, text: string): Promise<boolean> {
  const owner = parsedOwner(text);
  if (owner) return isRunning(owner);
  const written = await stat(file).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs < WRITE_MS;
}

function parsedOwner(text: string): LockOwner | undefined {
  try {
    return LockOwner.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const isExisting = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';
