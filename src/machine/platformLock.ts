import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { CONTROL_PATH, DATA_DIRECTORY, PlatformAnnouncement } from '../contract/launch/localPlatform.ts';
import { isRunning, LockOwner } from './fileLock.ts';
import { isAlive } from './processTable.ts';

/*
 * The lock of a data directory. A platform checks it before it uses the directory, and the editor checks it before it resets the
 * directory.
 */

/**
 * Content of a data directory's lock file. `holder` is random, so that no platform removes another platform's lock. A program
 * that knows `holder` can read this file, and therefore runs as the file's user. The lock contains only a digest of the API key.
 */
const Lock = LockOwner.extend({
  leaving: z.boolean().optional(),
  announcement: PlatformAnnouncement.omit({ apiKey: true, s3AccessKeyId: true, s3SecretAccessKey: true }).optional(),
  /** Salted digest of the API key. */
  key: z.object({ salt: z.string(), digest: z.string() }).optional(),
});
export type Lock = z.infer<typeof Lock>;

/** Maximum time, in ms, for a platform to announce itself or to stop. Applies where process start times are unknown. */
const TRANSIENT_MS = 60_000;

/** Time, in ms, for a platform to respond. After this time it counts as busy, and therefore as running. */
const ANSWER_MS = 3_000;

export const lockFileOf = (directory: string): string => path.join(path.resolve(directory), DATA_DIRECTORY.lock);

/** Parses the content of a lock file. Returns undefined if the content is incomplete because its writer is still writing or crashed. */
export function parseLock(text: string): Lock | undefined {
  try {
    return Lock.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the lock of the process that holds the directory, or undefined if no process holds it. */
export async function holderOf(directory: string): Promise<Lock | undefined> {
  const text = await readFile(lockFileOf(directory), 'utf8').catch(() => '');
  const lock = parseLock(text);
  return lock && (await isHeld(lock, lockFileOf(directory))) ? lock : undefined;
}

/**
 * Resolves with true if the process that wrote the lock is still running. A later process with the same PID does not count. Even if the
 * result is wrong, the lock of the database prevents two platforms from using the directory.
 */
export async function isHeld(lock: Lock, file: string): Promise<boolean> {
  if (lock.processStart !== null) return isRunning(lock);
  if (!isAlive(lock.pid)) return false;
  // Where start times are unknown (Windows), a platform that has announced itself and is not stopping must accept connections.
  const { announcement, leaving } = lock;
  if (leaving === true || announcement === undefined) return (await ageMs(file)) < TRANSIENT_MS;
  return accepts(announcement.baseUrl);
}

/** Resolves with the time since the file was last written, in ms. */
async function ageMs(file: string): Promise<number> {
  const written = await stat(file).catch(() => undefined);
  return written ? Date.now() - written.mtimeMs : Infinity;
}

/** Resolves with false only if the connection is refused. Any other failure does not prove that no process listens. */
async function accepts(baseUrl: string): Promise<boolean> {
  try {
    await fetch(baseUrl + CONTROL_PATH, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch (error) {
    return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNREFUSED';
  }
}
