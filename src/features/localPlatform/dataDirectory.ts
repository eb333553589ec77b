import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { DATA_DIRECTORY } from '../../contract/localPlatform.ts';

const { lock, contents } = DATA_DIRECTORY;

const Lock = z.object({ pid: z.int(), leaving: z.boolean().optional() });

/**
 * Removes what a platform keeps in its directory, and nothing else: a person may have chosen a directory that holds other things too.
 *
 * @throws Error when a platform is running on it
 */
export async function emptyDataDirectory(directory: string): Promise<void> {
  const holder = await readHolder(directory);
  if (holder && isAlive(holder.pid)) {
    throw new Error(`another local platform (process ${holder.pid}) uses ${directory}; stop that one first`);
  }
  for (const name of [...contents, lock]) {
    await rm(path.join(directory, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether a platform runs on the directory, and is not about to leave it. */
export async function isHeld(directory: string): Promise<boolean> {
  const holder = await readHolder(directory);
  return holder !== undefined && holder.leaving !== true && isAlive(holder.pid);
}

/** Who took the directory; undefined when nobody did, or when the lock was cut short. */
async function readHolder(directory: string): Promise<z.infer<typeof Lock> | undefined> {
  try {
    return Lock.safeParse(JSON.parse(await readFile(path.join(directory, lock), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
