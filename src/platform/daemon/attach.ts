import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AttachmentEvent, Identity, OwnerKey, type StopReason } from '../../contract/control/control.ts';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES } from '../../contract/launch/platformExit.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { withS3Key } from '../accounts/s3Keys.ts';
import { holderOf, type Lock } from '../../machine/platformLock.ts';
import { isKeyOf, keyRequestProof, proofOf } from '../control/keyHandOver.ts';
import type { Flags } from './flags.ts';
import type { Platform } from './start.ts';
import { StartFailure } from '../startFailure.ts';

/*
 * Finds a platform that runs on a data directory, and shares it. The lock is trusted only if its process still runs, and the server on its
 * port proves that it knows the lock's secret. Until then, no key is sent or requested.
 */

/** Maximum time in ms for a starting platform to accept requests. */
const START_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const REQUEST_TIMEOUT_MS = 3_000;

/**
 * Waits for the platform that holds the directory to accept requests. Returns undefined if no platform holds it, or if it stops.
 *
 * @param apiKey key that the platform must have; default: the platform hands over its own key
 */
export async function findRunning(
  directory: string,
  apiKey?: string,
): Promise<PlatformAnnouncement | 'otherKey' | undefined> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    const lock = await holderOf(directory);
    if (!lock || lock.leaving === true) return undefined;
    if (lock.announcement) return connect(lock, lock.announcement, apiKey);
    await pause(POLL_MS);
  }
  return undefined;
}

async function connect(
  { holder, key }: Lock,
  announcement: NonNullable<Lock['announcement']>,
  apiKey: string | undefined,
): Promise<PlatformAnnouncement | 'otherKey' | undefined> {
  const { baseUrl } = announcement;
  const identity = await identityOf(baseUrl, holder);
  if (!identity) return undefined;
  if (apiKey !== undefined) return key && isKeyOf(key, apiKey) ? withS3Key({ ...announcement, apiKey }) : 'otherKey';
  const platformKey = await requestKey(baseUrl, holder, identity.nonce);
  return platformKey === undefined ? undefined : withS3Key({ ...announcement, apiKey: platformKey });
}

/** Fetches the platform's identity; undefined if it does not prove that it wrote the lock. */
async function identityOf(baseUrl: string, holder: string): Promise<Identity | undefined> {
  const challenge = randomBytes(16).toString('hex');
  try {
    const response = await fetch(`${baseUrl}${controlOperations.getIdentity.path}?challenge=${challenge}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const identity = Identity.parse(await response.json());
    return identity.proof === proofOf(holder, challenge) ? identity : undefined;
  } catch {
    return undefined;
  }
}

/** Requests the key of a verified platform, with a proof that this process can read its lock. */
async function requestKey(baseUrl: string, holder: string, nonce = ''): Promise<string | undefined> {
  try {
    const response = await fetch(baseUrl + controlOperations.handOverKey.path, {
      method: controlOperations.handOverKey.method,
      body: JSON.stringify({ nonce, proof: keyRequestProof(holder, nonce) }),
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return OwnerKey.parse(await response.json()).apiKey;
  } catch {
    return undefined;
  }
}

export interface Attachment {
  /** Resolves when the platform announces its stop, or when the connection breaks. Undefined if the stop is requested. */
  readonly ended: Promise<StopReason | undefined>;
}

/** Shares the platform until this process ends. Returns undefined if the platform has already stopped. */
export async function attach({ baseUrl, apiKey }: PlatformAnnouncement): Promise<Attachment | undefined> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(baseUrl + controlOperations.attach.path, { headers }).catch(() => undefined);
  if (!response?.ok || !response.body) return undefined;
  return { ended: readUntilEnd(response.body) };
}

async function readUntilEnd(body: ReadableStream<Uint8Array>): Promise<StopReason | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((text) => text.startsWith('data: '))) {
        const { event, reason } = AttachmentEvent.parse(JSON.parse(line.slice('data: '.length)));
        if (event === 'stopping') return reason;
      }
    }
  } catch {
    // A broken connection is an unannounced end.
  }
  return { exitCode: PLATFORM_EXIT_CODES.failed, problem: 'the shared local platform stopped unexpectedly' };
}

export interface FoundPlatform {
  readonly announcement: PlatformAnnouncement;
  /** Keeps the platform running as long as this process runs. Set only with --stop-with-stdin. */
  readonly shared: Attachment | undefined;
}

/** Number of attempts. The other platform may stop after the first start failed, which frees the directory. */
const ATTEMPTS = 3;

/** Options from the command line. */
export interface RequestedOptions extends Pick<Flags, 'dataDir' | 'port' | 'stopWithStdin'> {
  /** undefined: any key. */
  readonly apiKey: string | undefined;
}

/**
 * Finds the platform that holds the data directory after a start failed, or starts one if the directory has become free.
 *
 * @param failure error of the first start
 * @throws StartFailure
 */
export async function findOrStart(
  { dataDir, port, apiKey, stopWithStdin }: RequestedOptions,
  failure: unknown,
  start: () => Promise<Platform>,
): Promise<Platform | FoundPlatform> {
  for (let attempt = 1; ; attempt++) {
    if (!(failure instanceof StartFailure) || failure.reason !== 'dataDirInUse') throw failure;
    if (dataDir === undefined) throw failure;
    const announcement = await findRunning(dataDir, apiKey);
    if (announcement === 'otherKey') throw mismatch(failure, 'with another API key');
    if (announcement) {
      const { baseUrl } = announcement;
      if (port !== 0 && String(port) !== new URL(baseUrl).port) throw mismatch(failure, `at ${baseUrl}`);
      if (!stopWithStdin) return { announcement, shared: undefined };
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

/** The running platform does not match the requested options. */
function mismatch(failure: StartFailure, how: string): StartFailure {
  const remedy = 'stop that platform, omit the port and the API key to share it, or choose another --data-dir';
  return new StartFailure('dataDirInUse', `${failure.problem}, ${how}`, { remedy, cause: failure });
}
