import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from '../../src/machine/fileLock.ts';

const POLL_MS = 500;

/**
 * Runs `work` while it holds the lock file. Takes over the lock of a process that has exited. Calls `onWait` once if it has to wait.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait: () => void): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  let lock = await tryLock(file);
  if (!lock) onWait();
  while (!lock) {
    await delay(POLL_MS);
    lock = await tryLock(file);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
