import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AttachmentEvent, Identity } from '../contract/control.ts';
import type { PlatformAnnouncement } from '../contract/localPlatform.ts';
import { controlOperations } from '../contract/operations/control.ts';
import { holderOf } from '../machine/platformLock.ts';
import { proofOf } from './control/sharingRoutes.ts';
import type { Flags } from './flags.ts';
import type { Platform } from './start.ts';
import { StartFailure } from './startFailure.ts';

/*
 * Finding a platform that runs on a data directory, and sharing it. What the lock says is believed only when its process is there, the
 * same one as then, and the port it names answers that it is the one that wrote the lock: before that no key is sent.
 */

/** How long a platform that has the directory may take to accept requests. */
const STARTING_MS = 15_000;
const LOOK_AGAIN_MS = 50;
const ANSWER_MS = 3_000;

/** The platform that has the directory, once it accepts requests. None: nobody has it, or not for long any more. */
export async function findRunning(directory: string): Promise<PlatformAnnouncement | undefined> {
  const end = Date.now() + STARTING_MS;
  while (Date.now() < end) {
    const lock = await holderOf(directory);
    if (!lock || lock.leaving === true) return undefined;
    if (lock.announcement) return (await isItself(lock.announcement, lock.holder)) ? lock.announcement : undefined;
    await pause(LOOK_AGAIN_MS);
  }
  return undefined;
}

async function isItself({ baseUrl }: PlatformAnnouncement, holder: string): Promise<boolean> {
  const challenge = randomBytes(16).toString('hex');
  try {
    const response = await fetch(`${baseUrl}${controlOperations.getIdentity.path}?challenge=${challenge}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return Identity.parse(await response.json()).proof === proofOf(holder, challenge);
  } catch {
    return false;
  }
}

export interface Attachment {
  /** Resolves when the platform stops, or is gone: true when it said so. */
  readonly ended: Promise<boolean>;
}

/** Shares the platform until this process ends. None: it is gone already. */
export async function attach({ baseUrl, apiKey }: PlatformAnnouncement): Promise<Attachment | undefined> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(baseUrl + controlOperations.attach.path, { headers }).catch(() => undefined);
  if (!response?.ok || !response.body) return undefined;
  return { ended: untilEnded(response.body) };
}

async function untilEnded(body: ReadableStream<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((text) => text.startsWith('data: '))) {
        const { event } = AttachmentEvent.parse(JSON.parse(line.slice('data: '.length)));
        if (event === 'stopping') return true;
      }
    }
  } catch {
    // A connection that breaks is the end as well.
  }
  return false;
}

export interface FoundPlatform {
  readonly announcement: PlatformAnnouncement;
  /** With --stop-with-stdin: it stays for as long as this process does. */
  readonly shared: Attachment | undefined;
}

/** The other platform may be gone by the time it is found, and the directory be free. */
const ATTEMPTS = 3;

/**
 * Finds the platform because of which another could not be started on its data directory, or starts that after all.
 *
 * @param failure of the first start
 * @throws StartFailure
 */
export async function findOrStart(
  flags: Flags,
  failure: unknown,
  start: () => Promise<Platform>,
): Promise<Platform | FoundPlatform> {
  for (let attempt = 1; ; attempt++) {
    if (!(failure instanceof StartFailure) || failure.reason !== 'dataDirInUse') throw failure;
    if (flags.dataDir === undefined) throw failure;
    const announcement = await findRunning(flags.dataDir);
    if (announcement) {
      refuseOther(flags, announcement, failure);
      if (!flags.stopWithStdin) return { announcement, shared: undefined };
      const shared = await attach(announcement);
      if (shared) return { announcement, shared };
    }
    if (attempt === ATTEMPTS) throw failure;
    try {
      return await start();
    } catch (error) {
      failure = error;
    }
  }
}

/** @throws StartFailure when what was asked for is not what runs */
function refuseOther({ port, apiKey }: Flags, running: PlatformAnnouncement, failure: StartFailure): void {
  const { baseUrl, apiKey: key } = running;
  const other = port !== 0 && String(port) !== new URL(baseUrl).port ? `at ${baseUrl}` : undefined;
  const otherKey = apiKey !== undefined && apiKey !== key ? 'with another API key' : undefined;
  const how = other ?? otherKey;
  if (how === undefined) return;
  const remedy = 'stop that one, leave out --port and --api-key to share it, or choose another --data-dir';
  throw new StartFailure('dataDirInUse', `${failure.problem}, ${how}`, { remedy, cause: failure });
}
