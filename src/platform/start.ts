import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import type { PlatformAnnouncement } from '../contract/localPlatform.ts';
import type { RateLimitOptions } from './accounts/rateLimits.ts';
import { SessionSigner } from './accounts/sessions.ts';
import { newSessionSecret, sessionSecret } from './accounts/sessionSecret.ts';
import { systemClock, type Clock } from './clock.ts';
import { DATABASE_FILE, takeDataDirectory, type DataDirectory } from './dataDirectory.ts';
import { secretBox, type SecretBox } from './secrets/secretBox.ts';
import { SecretKeyError, type SecretKeyProblem } from './secrets/secretKey.ts';
import { StartFailure } from './startFailure.ts';
import { Host, type HostOptions } from './host.ts';
import { isLoopback } from './loopback.ts';
import { newToken } from './ids.ts';
import type { FetchPolicy } from './images/imageModel.ts';
import { HostCapacity } from './runtime/hostCapacity.ts';
import { isDamage, isSqliteError, notedFile } from './store/databaseFile.ts';
import { SnapshotError, type Contents } from './store/snapshot.ts';
import type { OnSetAside } from './store/quarantine.ts';
import { openSqliteStore } from './store/sqlite.ts';
import { NewerSchemaError, StoreFileError, type Store } from './store/store.ts';

export interface PlatformOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Address to listen on. Left out: loopback, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Where everything is kept. Left out: in memory, gone when the platform stops. */
  readonly dataDir?: string | undefined;
  /** Left out: a random one. */
  readonly apiKey?: string | undefined;
  /** Time workers have to end by themselves when they are stopped, in ms. */
  readonly graceMs?: number | undefined;
  /** Workers that run at the same time; further ones wait, THROTTLED. Left out: two per logical processor, at least 8. */
  readonly maxWorkers?: number | undefined;
  /** Whether other accounts than the owner's may have endpoints that run programs of this machine. Left out: they may not. */
  readonly allowProcessEndpoints?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** How often callers may ask. Left out: as the documented sample says, and the platform's own key without limit. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Where images to edit may come from. Left out: public addresses and this platform. */
  readonly imageSources?: FetchPolicy | undefined;
  /** Left out: nothing is logged. */
  readonly log?: Logger | undefined;
}

export interface Platform {
  readonly announcement: PlatformAnnouncement;
  /** Resolves as soon as no other window or program shares this platform. */
  whenUnshared(): Promise<void>;
  /** Resolves when somebody who has the key asks the platform to stop. Whoever started it is to close it then. */
  readonly whenAskedToStop: Promise<void>;
  /** Ends all workers and forgets everything: the platform is as if it had just been started on an empty directory. */
  reset(): Promise<void>;
  /** Stops gracefully: no more jobs, workers end, then the server. Unfinished jobs stay queued on disk. */
  close(): Promise<void>;
}

const OPEN_TO_OTHERS =
  'other machines can reach this platform: whoever has a key of it runs programs here as you, and keys travel unencrypted';
const DEFAULT_GRACE_MS = 3_000;
const defaultMaxWorkers = (): number => Math.max(8, 2 * availableParallelism());

/**
 * Starts a local platform in this process; it accepts requests when this resolves.
 *
 * @throws StartFailure
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const { clock = systemClock, apiKey = newToken(), log = pino({ enabled: false }) } = options;
  const directory = options.dataDir === undefined ? undefined : await takeDataDirectory(options.dataDir, clock);
  let host: Host | undefined;
  try {
    const secrets = secretBox(directory?.secretKeyFile);
    const signer = await sessionSigner(directory);
    host = new Host(
      (contents) => openStore(directory, { contents, secrets, log }),
      hostOptions(options, { clock, apiKey, signer, secrets, log, directory }),
    );
    const addresses = await host.listen(options.port ?? 0, options.host);
    if (options.host !== undefined && !isLoopback(options.host)) log.warn({ host: options.host }, OPEN_TO_OTHERS);
    const dataDir = directory?.path ?? null;
    const announcement = { ...addresses, apiKey, pid: process.pid, dataDir };
    await directory?.announce(announcement);
    log.info({ baseUrl: addresses.baseUrl, dataDir }, 'platform started');
    return platformOf(host, announcement, { directory, log });
  } catch (error) {
    await host?.close();
    await directory?.release();
    // What is stored is also read after it was opened.
    throw directory && !(error instanceof StartFailure) ? storeFailure(directory, error) : error;
  }
}

/** @throws StartFailure dataDirUnusable */
async function sessionSigner(directory: DataDirectory | undefined): Promise<SessionSigner> {
  try {
    return new SessionSigner(await sessionSecret(directory?.path), () => newSessionSecret(directory?.path));
  } catch (error) {
    const remedy = 'make that file one that you can write to, or remove it';
    throw new StartFailure('dataDirUnusable', (error as Error).message, { remedy, cause: error });
  }
}

interface Basics {
  readonly clock: Clock;
  readonly apiKey: string;
  readonly signer: SessionSigner;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly directory: DataDirectory | undefined;
}

function hostOptions(options: PlatformOptions, { directory, ...basics }: Basics): HostOptions {
  return {
    ...{ ...basics, volumesDirectory: directory?.volumesDirectory, holder: directory?.holder ?? newToken() },
    capacity: new HostCapacity(options.maxWorkers ?? defaultMaxWorkers()),
    allowProcessEndpoints: options.allowProcessEndpoints ?? false,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    imageSources: options.imageSources ?? {},
    rateLimits: options.rateLimits,
  };
}

function platformOf(
  host: Host,
  announcement: PlatformAnnouncement,
  { directory, log }: Pick<Basics, 'directory' | 'log'>,
): Platform {
  const close = async (): Promise<void> => {
    // On a full disk it cannot be said that we are leaving; the workers must be ended all the same.
    await directory?.leave().catch((error: unknown) => log.warn({ err: error }, 'the lock cannot be updated'));
    try {
      await host.close();
    } finally {
      await directory?.release();
    }
    log.info('platform stopped');
  };
  let closing: Promise<void> | undefined;
  return {
    announcement,
    whenUnshared: () => new Promise((resolve) => host.attachments.whenNone(resolve)),
    whenAskedToStop: host.askedToStop,
    reset: () => host.reset(),
    close: () => (closing ??= close()),
  };
}

const SET_ASIDE = 'a stored record cannot be used: it was moved to the quarantine table';

interface StoreContext extends Pick<Basics, 'secrets' | 'log'> {
  readonly contents: Contents;
}

/** @throws SnapshotError; for a data directory StartFailure */
function openStore(directory: DataDirectory | undefined, { contents, secrets, log }: StoreContext): Store {
  const onSetAside: OnSetAside = (record) => log.warn(record, SET_ASIDE);
  if (!directory) return openSqliteStore(':memory:', { contents, secrets, onSetAside });
  try {
    const store = openSqliteStore(directory.databaseFile, { contents, secrets, onSetAside });
    if (contents !== 'kept') removeVolumes(directory.volumesDirectory, log);
    return store;
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw storeFailure(directory, error);
  }
}

/** Nothing refers to them any more: what cannot be removed, such as a file that is open, only takes room. */
function removeVolumes(directory: string, log: Logger): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    log.warn({ err: error, path: directory }, 'volumes cannot be removed');
  }
}

/** In words what a platform that runs fails with, where it is damage of what it keeps; undefined for anything else. */
export function damageOf(error: unknown, { dataDir }: PlatformAnnouncement): StartFailure | undefined {
  if (dataDir === null || !isSqliteError(error) || !isDamage(error)) return undefined;
  return unusableFile(new StoreFileError(notedFile(error) ?? path.join(dataDir, DATABASE_FILE), error));
}

function unusableFile(failed: StoreFileError): StartFailure {
  const remedy = 'repair or move that file, or choose another --data-dir';
  const problem = `${failed.file} cannot be opened, ${failed.message}`;
  return new StartFailure('dataDirUnusable', problem, { remedy, cause: failed });
}

/** What went wrong with the files of the data directory, in words; any other error as it is. */
function storeFailure({ path: directory, databaseFile }: DataDirectory, cause: unknown): unknown {
  if (cause instanceof NewerSchemaError) {
    const problem = `the data directory ${directory} was written by a newer version (${cause.message})`;
    return new StartFailure('dataDirNewer', problem, {
      remedy: 'update this one, or choose another --data-dir',
      cause,
    });
  }
  if (cause instanceof SecretKeyError) {
    const remedy = KEY_REMEDIES[cause.problem].replaceAll('{database}', databaseFile);
    return new StartFailure('dataDirUnusable', cause.message, { remedy, cause });
  }
  const failed = isSqliteError(cause) ? new StoreFileError(notedFile(cause) ?? databaseFile, cause) : cause;
  if (!(failed instanceof StoreFileError)) return cause;
  if (failed.locked) {
    const problem = `the data directory ${directory} is in use by another local platform`;
    return new StartFailure('dataDirInUse', problem, { remedy: 'stop that one, or choose another --data-dir', cause });
  }
  return unusableFile(failed);
}

const RESTORE_KEY =
  'put back the key that was there, move {database} away to begin without what it holds, or choose another --data-dir';

const KEY_REMEDIES: Readonly<Record<SecretKeyProblem, string>> = {
  missing: RESTORE_KEY,
  damaged: RESTORE_KEY,
  wrong: RESTORE_KEY,
  unreadable: 'make it a file that you can read, or choose another --data-dir',
  unwritable: 'make its directory one that you can write to, or choose another --data-dir',
};
