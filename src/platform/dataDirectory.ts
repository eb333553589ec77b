import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { PlatformAnnouncement } from '../contract/localPlatform.ts';
import type { Clock } from './clock.ts';
import { StartFailure } from './startFailure.ts';
import { isAlive, processStart } from './runtime/processTable.ts';

/** A directory that is ours until it is released. */
export interface DataDirectory {
  readonly path: string;
  readonly databaseFile: string;
  /** Parent of the directories that volumes are. */
  readonly volumesDirectory: string;
  /** The key that stored secrets are encrypted with. */
  readonly secretKeyFile: string;
  /** Random, and known only to who may read the lock: by it the platform that answers a port shows that it is this one. */
  readonly holder: string;
  /** Says in the lock where it runs, so that others who want the directory find it. */
  announce(announcement: PlatformAnnouncement): Promise<void>;
  /** Says that it is about to be released: who wants it next waits rather than giving up. */
  leave(): Promise<void>;
  release(): Promise<void>;
}

const LOCK_FILE = 'platform.lock';
/** How long a holder that is leaving is waited for: its workers have some seconds to end. */
const LEAVING_MS = 15_000;
const LOOK_AGAIN_MS = 50;
const DATABASE_FILE = 'platform.sqlite';
const VOLUMES_DIRECTORY = 'volumes';
const SECRET_KEY_FILE = 'secrets.key';

/**
 * Who holds the directory. `holder` is random, so that nobody removes a lock that is not his. The announcement has the API key in it:
 * the file is its owner's only, as is the directory it lies in when we make it, and it is gone when the platform is.
 */
const Lock = z.object({
  pid: z.int(),
  processStart: z.string().nullable(),
  holder: z.string(),
  leaving: z.boolean().optional(),
  announcement: PlatformAnnouncement.optional(),
});
export type Lock = z.infer<typeof Lock>;

/**
 * Makes the directory if it is not there, and takes it. A lock whose process is gone, or whose process id belongs to another process
 * by now, is stale and is taken over.
 *
 * @throws StartFailure dataDirUnusable or dataDirInUse
 */
export async function takeDataDirectory(directory: string, clock: Clock): Promise<DataDirectory> {
  const absolute = path.resolve(directory);
  await makeDirectory(absolute);
  const file = path.join(absolute, LOCK_FILE);
  let lock: Lock = {
    pid: process.pid,
    processStart: (await processStart(process.pid)) ?? null,
    holder: randomUUID(),
  };
  /** Renamed into place: a lock that is read half-written would count as stale. */
  const change = async (changed: Lock): Promise<void> => {
    lock = changed;
    if ((await readLock(file))?.holder !== lock.holder) return;
    const next = `${file}.${lock.holder}`;
    await writeFile(next, JSON.stringify(lock), { mode: 0o600 });
    await rename(next, file);
  };
  if (!(await createLock(file, lock))) {
    const holder = await holderThatStays(file, clock);
    if (holder && (await isHeld(holder))) {
      throw new StartFailure(
        'dataDirInUse',
        `the data directory ${absolute} is in use by another local platform (process ${holder.pid})`,
        { remedy: 'stop that one, or choose another --data-dir' },
      );
    }
    // Should two platforms find the same stale lock at once, the database's own lock tells them apart.
    await rm(file, { force: true });
    await createLock(file, lock);
  }
  return {
    path: absolute,
    databaseFile: path.join(absolute, DATABASE_FILE),
    volumesDirectory: path.join(absolute, VOLUMES_DIRECTORY),
    secretKeyFile: path.join(absolute, SECRET_KEY_FILE),
    holder: lock.holder,
    announce: (announcement) => change({ ...lock, announcement }),
    leave: () => change({ ...lock, leaving: true }),
    release: async () => {
      if ((await readLock(file))?.holder === lock.holder) await rm(file, { force: true });
    },
  };
}

/** Who has the directory now, if it is somebody. */
export async function holderOf(directory: string): Promise<Lock | undefined> {
  const lock = await readLock(path.join(path.resolve(directory), LOCK_FILE));
  return lock && (await isHeld(lock)) ? lock : undefined;
}

/** Who has the lock, once nobody who is leaving has it any more. */
async function holderThatStays(file: string, clock: Clock): Promise<Lock | undefined> {
  const end = clock.now() + LEAVING_MS;
  let holder = await readLock(file);
  while (holder?.leaving === true && clock.now() < end && (await isHeld(holder))) {
    await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
    holder = await readLock(file);
  }
  return holder;
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (!(await stat(directory)).isDirectory()) throw new Error('it is not a directory');
  } catch (error) {
    throw unusable(directory, error);
  }
}

async function createLock(file: string, lock: Lock): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(lock), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(path.dirname(file), error);
  }
}

/** undefined when there is none, or when it was cut short: its writer died while writing it. */
async function readLock(file: string): Promise<Lock | undefined> {
  try {
    return Lock.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

async function isHeld(lock: Lock): Promise<boolean> {
  if (!isAlive(lock.pid)) return false;
  const start = await processStart(lock.pid);
  // Where start times cannot be told, a living process with that id counts as the holder.
  return process.platform === 'win32' ? true : start !== undefined && start === lock.processStart;
}

function unusable(directory: string, error: unknown): StartFailure {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'it is, or lies under, a file' : (error as Error).message;
  const remedy = 'choose another --data-dir, or make this one a directory that you can write to';
  return new StartFailure('dataDirUnusable', `the data directory ${directory} cannot be used, because ${why}`, {
    remedy,
    cause: error,
  });
}
