import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
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

/** Who holds the directory. `holder` is random, so that nobody removes a lock that is not his; it opens nothing. */
const Lock = z.object({
  pid: z.int(),
  processStart: z.string().nullable(),
  holder: z.string(),
  leaving: z.boolean().optional(),
});
type Lock = z.infer<typeof Lock>;

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
  const lock: Lock = {
    pid: process.pid,
    processStart: (await processStart(process.pid)) ?? null,
    holder: randomUUID(),
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
    leave: async () => {
      if ((await readLock(file))?.holder === lock.holder) {
        // Renamed into place: a lock that is read half-written would count as stale.
        const next = `${file}.${lock.holder}`;
        await writeFile(next, JSON.stringify({ ...lock, leaving: true }), { mode: 0o600 });
        await rename(next, file);
      }
    },
    release: async () => {
      if ((await readLock(file))?.holder === lock.holder) await rm(file, { force: true });
    },
  };
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
    await mkdir(directory, { recursive: true });
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
