import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { isAlive, processStart } from './processTable.ts';

/* The lock of a folder, so that two windows never write the same files. */

const Lock = z.object({ pid: z.int().min(1), processStart: z.string().nullable(), holder: z.string() });

/** Locks that this process holds. A lock of this process that is not among them is left over. */
const held = new Set<string>();
/** Time in ms for a process to write its lock. */
const WRITE_MS = 10_000;
const MAX_ATTEMPTS = 5;

/** Locks a folder. Resolves with a function that releases the lock, or with undefined if another process or window holds it. */
export async function lockFolder(folder: string): Promise<(() => Promise<void>) | undefined> {
  const file = path.join(folder, 'lock');
  const holder = randomUUID();
  const lock = { pid: process.pid, processStart: (await processStart(process.pid)) ?? null, holder };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      await writeFile(file, JSON.stringify(lock), { flag: 'wx' });
      held.add(holder);
      return async () => {
        held.delete(holder);
        await rm(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    if (await isHeld(text, file)) return undefined;
    if (!(await takeAway(file, text))) return undefined;
  }
  return undefined;
}

/** Returns whether a process holds the lock of a folder. */
export async function isLocked(folder: string): Promise<boolean> {
  const file = path.join(folder, 'lock');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text !== undefined && (await isHeld(text, file));
}

async function isHeld(text: string, file: string): Promise<boolean> {
  const lock = parsed(text);
  if (!lock) {
    const written = await stat(file).catch(() => undefined);
    return written !== undefined && Date.now() - written.mtimeMs < WRITE_MS;
  }
  if (lock.pid === process.pid) return held.has(lock.holder);
  if (!isAlive(lock.pid)) return false;
  return lock.processStart === null || (await processStart(lock.pid)) === lock.processStart;
}

/** Removes a lock that is left over. Returns false if another window has replaced it in the meantime. */
async function takeAway(file: string, text: string): Promise<boolean> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  const isOurs = (await readFile(aside, 'utf8')) === text;
  if (isOurs) await rm(aside, { force: true });
  else await rename(aside, file);
  return isOurs;
}

function parsed(text: string): z.infer<typeof Lock> | undefined {
  try {
    return Lock.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
