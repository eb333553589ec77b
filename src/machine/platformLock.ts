import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { CONTROL_PATH, DATA_DIRECTORY, PlatformAnnouncement } from '../contract/launch/localPlatform.ts';
import { isAlive, processStart } from './processTable.ts';

/* Who has a data directory, as the platforms that want it and the editor that would empty it must both know. */

/**
 * Content of a data directory's lock file. `holder` is random, so that no platform removes another platform's lock. It also proves that a
 * program can read this file, which only the file's user can. The lock holds only a digest of the API key.
 */
const Lock = z.object({
  pid: z.int().min(1),
  /** As `processStart` says it; null where that cannot be told. */
  processStart: z.string().nullable(),
  holder: z.string(),
  leaving: z.boolean().optional(),
  /** Addresses of the platform. Platforms of the previous release add their API key. */
  announcement: PlatformAnnouncement.partial({ apiKey: true }).optional(),
  /** Salted digest of the API key. */
  key: z.object({ salt: z.string(), digest: z.string() }).optional(),
});
export type Lock = z.infer<typeof Lock>;

/** Maximum time in ms for a platform to announce itself or to stop, where its process cannot be told from another one. */
const TRANSIENT_MS = 60_000;

/** How long a platform may take to accept a connection before it counts as too busy for that, rather than gone. */
const ANSWER_MS = 3_000;

export const lockFileOf = (directory: string): string => path.join(path.resolve(directory), DATA_DIRECTORY.lock);

/** undefined when it was cut short: its writer is still at it, or died over it. */
export function parseLock(text: string): Lock | undefined {
  try {
    return Lock.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Who has the directory now, if it is somebody. */
export async function holderOf(directory: string): Promise<Lock | undefined> {
  const text = await readFile(lockFileOf(directory), 'utf8').catch(() => '');
  const lock = parseLock(text);
  return lock && (await isHeld(lock, lockFileOf(directory))) ? lock : undefined;
}

/**
 * Whether the process that wrote the lock still runs, rather than a later process with the same PID. If this is wrong, the database's
 * own lock still keeps two platforms apart.
 */
export async function isHeld(lock: Lock, file: string): Promise<boolean> {
  if (!isAlive(lock.pid)) return false;
  if (lock.processStart !== null) return (await processStart(lock.pid)) === lock.processStart;
  // Where start times cannot be told (Windows), a platform is known by accepting connections, from when it says where until it leaves.
  const { announcement, leaving } = lock;
  if (leaving === true || announcement === undefined) return (await ageMs(file)) < TRANSIENT_MS;
  return accepts(announcement.baseUrl);
}

/** Time since the file was last written, in ms. */
async function ageMs(file: string): Promise<number> {
  const written = await stat(file).catch(() => undefined);
  return written ? Date.now() - written.mtimeMs : Infinity;
}

/** Whether somebody listens there. In doubt yes: only a connection that is refused shows that nobody does. */
async function accepts(baseUrl: string): Promise<boolean> {
  try {
    await fetch(baseUrl + CONTROL_PATH, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch (error) {
    return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNREFUSED';
  }
}
