import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES } from '../../contract/launch/platformExit.ts';
import type { RateLimitOptions } from '../accounts/rateLimits.ts';
import { withS3Key } from '../accounts/s3Keys.ts';
import { SessionSigner, newSessionSecret, sessionSecret } from '../accounts/sessions.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { DATABASE_FILE, lockDataDirectory, type DataDirectory } from './dataDirectory.ts';
import { secretBox, type SecretBox } from '../secrets/secretBox.ts';
import { SecretKeyError, type SecretKeyProblem } from '../secrets/secretKey.ts';
import { StartFailure } from '../startFailure.ts';
import type { GpuChoice } from '../gpus/machineGpus.ts';
import { Host, type HostOptions } from '../server/host.ts';
import type { ListenAddress } from '../server/server.ts';
import { isLoopback } from '../http/loopback.ts';
import { createdKey } from './ownerKey.ts';
import { newToken } from '../ids.ts';
import type { EngineSettings } from '../runtimes/engineSettings.ts';
import type { SpanSink } from '../domain/traceContext.ts';
import type { FetchPolicy } from '../images/fetchImage.ts';
import { HostCapacity } from '../workers/hostCapacity.ts';
import { isDamage, isSqliteError, recordedFile } from '../store/sqlite/databaseFile.ts';
import {
  SnapshotError,
  type Contents,
  type Stores,
  OtherSchemaError,
  StoreFileError,
  type Store,
} from '../store/store.ts';
import type { OnSetAside } from '../store/sqlite/quarantine.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';

export interface PlatformOptions {
  /** Port to listen on. Default: 0, which selects a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: loopback, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Further address that serves only the metrics. Default: none. */
  readonly metricsAddress?: ListenAddress | undefined;
  /** Data directory. Default: all data is in memory and lost when the platform stops. */
  readonly dataDir?: string | undefined;
  /** Directory of the files of volumes, without a data directory. It stays. Default: a temporary directory. */
  readonly volumesDir?: string | undefined;
  /** Default: a random key. */
  readonly apiKey?: string | undefined;
  /** Whether the default key is created at the first start, and kept in the data directory. */
  readonly createApiKey?: boolean | undefined;
  /** Origin at which callers reach the platform, such as that of a proxy. Default: the address that it listens on. */
  readonly publicUrl?: URL | undefined;
  /** Whether workers in containers and pods run on when the platform stops, for the next platform on the data directory. Default: false. */
  readonly keepWorkers?: boolean | undefined;
  /** Time for workers to exit on their own when they are stopped, in ms. */
  readonly graceMs?: number | undefined;
  /** Maximum number of running workers. More workers wait as THROTTLED. Default: two per logical processor, at least 8. */
  readonly maxWorkers?: number | undefined;
  /** Maximum size of the logs of all workers, in bytes. Default: 1 GiB. */
  readonly maxLogBytes?: number | undefined;
  /** GPUs of this machine for workers. Default: `auto`, those that are found. */
  readonly gpus?: GpuChoice | undefined;
  /** Whether accounts other than the owner's may have endpoints that run programs on this machine. Default: false. */
  readonly allowProcessEndpoints?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** Address of an OpenTelemetry collector that receives traces over OTLP/HTTP. Default: none does. */
  readonly otlpTracesUrl?: string | undefined;
  /** Rate limits of callers. Default: the documented sample quotas, and no limit for the platform's own key. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Engine that runs images other than process images. Default: as Docker finds it. */
  readonly engine?: EngineSettings | undefined;
  /** Environment with the settings of engines, such as DOCKER_HOST. Default: that of this process. */
  readonly environment?: Readonly<NodeJS.ProcessEnv> | undefined;
  /** Creates the runtime. Default: `imageRuntimes`. */
  readonly createRuntime?: HostOptions['createRuntime'];
  /** Allowed sources of images to edit. Default: public addresses and this platform. */
  readonly imageSources?: FetchPolicy | undefined;
  /** Default: no logging. */
  readonly log?: Logger | undefined;
}

export interface Platform {
  readonly announcement: PlatformAnnouncement;
  /** Resolves once no other window or program shares this platform. */
  whenUnshared(): Promise<void>;
  /** Resolves when a caller with the key requests a stop. The code that started the platform must then close it. */
  readonly stopRequested: Promise<void>;
  /** Resolves with the reason if the platform cannot continue. The code that started the platform must then close it. */
  readonly failed: Promise<StartFailure>;
  /** Ends all workers and deletes all data, as if the platform had just started on an empty directory. */
  reset(): Promise<void>;
  /**
   * Stops gracefully: stops taking jobs, then ends the workers, then the server. Unfinished jobs stay queued on disk.
   *
   * @param failure reason that the programs that share the platform are told. Undefined if the stop is requested
   */
  close(failure?: StartFailure): Promise<void>;
}

const REACHABLE_WARNING =
  'other machines can reach this platform: anyone with a key can run programs here as you, and keys are sent unencrypted';
const DEFAULT_GRACE_MS = 3_000;
const defaultMaxWorkers = (): number => Math.max(8, 2 * availableParallelism());

/**
 * Starts a local platform in this process. Resolves once it accepts requests.
 *
 * @throws StartFailure
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const { clock = systemClock, log = pino({ enabled: false }) } = options;
  const directory = options.dataDir === undefined ? undefined : await lockDataDirectory(options.dataDir, clock);
  const failed = Promise.withResolvers<StartFailure>();
  let host: Host | undefined;
  try {
    const apiKey =
      options.apiKey ?? (directory && options.createApiKey ? await createdKey(directory.path) : newToken());
    const secrets = secretBox(directory?.secretKeyFile);
    const signer = await sessionSigner(directory);
    const stores: Stores = {
      open: (contents) => openStore(directory, { contents, secrets, log, onFailed: failed.resolve }),
      tryImport: (contents, within) =>
        openSqliteStore(path.join(within, 'trial.sqlite'), { contents, secrets }).close(),
    };
    const spans = await openSpans(options.otlpTracesUrl, log);
    host = new Host(stores, hostOptions(options, { clock, apiKey, signer, secrets, log, spans, directory }));
    const own = await host.listen(options.port ?? 0, options.host);
    if (options.host !== undefined && !isLoopback(options.host)) log.warn({ host: options.host }, REACHABLE_WARNING);
    const dataDir = directory?.path ?? null;
    const about = withS3Key({ apiKey, pid: process.pid, dataDir });
    const announcement = { ...host.addresses, ...about };
    // Programs on this machine share the platform without the proxy.
    await directory?.announce({ ...own, ...about });
    log.info({ baseUrl: announcement.baseUrl, dataDir }, 'platform started');
    return platformOf(host, announcement, { directory, log, failed: failed.promise });
  } catch (error) {
    await host?.close();
    await directory?.release();
    // Reading from the open store can also fail on damaged data.
    throw directory && !(error instanceof StartFailure) ? storeFailure(directory, error) : error;
  }
}

/** @throws StartFailure dataDirUnusable */
async function sessionSigner(directory: DataDirectory | undefined): Promise<SessionSigner> {
  try {
    return new SessionSigner(await sessionSecret(directory?.path), () => newSessionSecret(directory?.path));
  } catch (error) {
    const remedy = 'make that file writable, or remove it';
    throw new StartFailure('dataDirUnusable', (error as Error).message, { remedy, cause: error });
  }
}

interface StartContext {
  readonly clock: Clock;
  readonly apiKey: string;
  readonly signer: SessionSigner;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly spans: SpanSink | undefined;
  readonly directory: DataDirectory | undefined;
}

/** Opens the export of traces. Without one, its library is not loaded. */
async function openSpans(url: string | undefined, log: Logger): Promise<SpanSink | undefined> {
  if (url === undefined) return undefined;
  const { openTelemetrySink } = await import('../traces/openTelemetry.ts');
  return openTelemetrySink({ url, log, clock: systemClock });
}

function hostOptions(options: PlatformOptions, { directory, ...basics }: StartContext): HostOptions {
  return {
    ...{ ...basics, holder: directory?.holder ?? newToken() },
    volumesDirectory: directory?.volumesDirectory ?? options.volumesDir,
    capacity: new HostCapacity(options.maxWorkers ?? defaultMaxWorkers()),
    maxLogBytes: options.maxLogBytes,
    gpus: options.gpus ?? 'auto',
    // Without stored data, the next platform would not find them.
    keepWorkers: directory !== undefined && (options.keepWorkers ?? false),
    allowProcessEndpoints: options.allowProcessEndpoints ?? false,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    imageSources: options.imageSources ?? {},
    rateLimits: options.rateLimits,
    publicUrl: options.publicUrl,
    metricsAddress: options.metricsAddress,
    engine: options.engine ?? {},
    environment: options.environment ?? process.env,
    createRuntime: options.createRuntime,
  };
}

function platformOf(
  host: Host,
  announcement: PlatformAnnouncement,
  { directory, log, failed }: Pick<StartContext, 'directory' | 'log'> & Pick<Platform, 'failed'>,
): Platform {
  const close = async (failure?: StartFailure): Promise<void> => {
    // On a full disk, the lock cannot be updated. The workers must still be stopped.
    await directory
      ?.announceRelease()
      .catch((error: unknown) => log.warn({ err: error }, 'the lock cannot be updated'));
    try {
      await host.close(failure && { exitCode: PLATFORM_EXIT_CODES[failure.reason], problem: failure.problem });
    } finally {
      await directory?.release();
    }
    log.info('platform stopped');
  };
  let closing: Promise<void> | undefined;
  return {
    announcement,
    whenUnshared: () => new Promise((resolve) => host.attachments.whenNone(resolve)),
    stopRequested: host.stopRequested,
    failed,
    reset: () => host.reset(),
    close: (failure) => (closing ??= close(failure)),
  };
}

const SET_ASIDE = 'moved an unusable record to the quarantine table';

interface StoreContext extends Pick<StartContext, 'secrets' | 'log'> {
  readonly contents: Contents;
  readonly onFailed: (failure: StartFailure) => void;
}

/** @throws SnapshotError; for a data directory StartFailure */
function openStore(directory: DataDirectory | undefined, { contents, secrets, log, onFailed }: StoreContext): Store {
  const onSetAside: OnSetAside = (record) => log.warn(record, SET_ASIDE);
  if (!directory) return openSqliteStore(':memory:', { contents, secrets, onSetAside });
  try {
    const onFailedSync = (file: string, error: Error): void => onFailed(diskFailure(file, error));
    const store = openSqliteStore(directory.databaseFile, { contents, secrets, onSetAside, onFailedSync });
    if (contents !== 'kept') removeVolumes(directory.volumesDirectory, log);
    return store;
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw storeFailure(directory, error);
  }
}

/** Removes unreferenced volumes. Files that cannot be removed, such as open ones, only use disk space. */
function removeVolumes(directory: string, log: Logger): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    log.warn({ err: error, path: directory }, 'volumes cannot be removed');
  }
}

/** Describes an error of a running platform if its cause is damaged data; undefined for any other error. */
export function damageOf(error: unknown, { dataDir }: PlatformAnnouncement): StartFailure | undefined {
  if (dataDir === null || !isSqliteError(error) || !isDamage(error)) return undefined;
  return unusableFile(new StoreFileError(recordedFile(error) ?? path.join(dataDir, DATABASE_FILE), error));
}

function diskFailure(file: string, cause: Error): StartFailure {
  const remedy = 'check the disk, then start the platform again, which recovers the data that is on the disk';
  return new StartFailure('diskFailed', `${file} cannot be written to disk: ${cause.message}`, { remedy, cause });
}

function unusableFile(failed: StoreFileError): StartFailure {
  const remedy = 'repair or move that file, or choose another --data-dir';
  const problem = `${failed.file} cannot be opened: ${failed.message}`;
  return new StartFailure('dataDirUnusable', problem, { remedy, cause: failed });
}

/** Describes an error in the files of the data directory. Returns any other error unchanged. */
function storeFailure({ path: directory, databaseFile }: DataDirectory, cause: unknown): unknown {
  if (cause instanceof OtherSchemaError) {
    const problem = `the data directory ${directory} was written by another version (${cause.message})`;
    return new StartFailure('dataDirVersion', problem, {
      remedy: 'use that version, or choose another --data-dir',
      cause,
    });
  }
  if (cause instanceof SecretKeyError) {
    const remedy = KEY_REMEDIES[cause.problem].replaceAll('{database}', databaseFile);
    return new StartFailure('dataDirUnusable', cause.message, { remedy, cause });
  }
  const failed = isSqliteError(cause) ? new StoreFileError(recordedFile(cause) ?? databaseFile, cause) : cause;
  if (!(failed instanceof StoreFileError)) return cause;
  if (failed.locked) {
    const problem = `the data directory ${directory} is in use by another local platform`;
    return new StartFailure('dataDirInUse', problem, {
      remedy: 'stop that platform, or choose another --data-dir',
      cause,
    });
  }
  return unusableFile(failed);
}

const RESTORE_KEY =
  'restore the original key, move {database} away to start without its data, or choose another --data-dir';

const KEY_REMEDIES: Readonly<Record<SecretKeyProblem, string>> = {
  missing: RESTORE_KEY,
  damaged: RESTORE_KEY,
  wrong: RESTORE_KEY,
  unreadable: 'make it a readable file, or choose another --data-dir',
  unwritable: 'make its directory writable, or choose another --data-dir',
};
