import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** Age, in ms, after which a lock is abandoned. All work under a lock is shorter. Covers owners on other machines that share the folder. */
const staleAfterMs = 20 * 60_000;

/**
 * Runs `work` while it holds the lock file. Takes over the lock of a process that has exited. Calls `onWait` once if it has to wait.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait: () => void): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  let notified = false;
  while (!(await tryAcquire(file))) {
    if (await isAbandoned(file)) {
      await rm(file, { force: true });
      continue;
    }
    if (!notified) {
      notified = true;
      onWait();
    }
    await delay(500);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function tryAcquire(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(file, 'utf8'));
    const age = Date.now() - (await stat(file)).mtimeMs;
    return age > staleAfterMs || (pid > 0 && !isAlive(pid));
  } catch {
    return false; // The owner released the lock.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
