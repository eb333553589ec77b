import type { Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { pino, type Logger } from 'pino';
import type { PlatformAnnouncement } from '../contract/localPlatform.ts';
import { Accounts } from './accounts/accounts.ts';
import type { RateLimitOptions } from './accounts/rateLimits.ts';
import { SessionSigner } from './accounts/sessions.ts';
import { sessionSecret } from './accounts/sessionSecret.ts';
import { systemClock, type Clock } from './clock.ts';
import { takeDataDirectory, type DataDirectory } from './dataDirectory.ts';
import { StartFailure } from './startFailure.ts';
import { ImageModel, type FetchPolicy } from './images/imageModel.ts';
import { isLoopback } from './loopback.ts';
import { newToken } from './ids.ts';
import { WORKER_PATH } from './routes/errors.ts';
import { Engine } from './runtime/engine.ts';
import { HostCapacity } from './runtime/hostCapacity.ts';
import { openResources, type Resources } from './resources/resources.ts';
import { processRuntime } from './runtime/process.ts';
import { addressesOf, closeServer, createServer, listen } from './server.ts';
import { openSqliteStore } from './store/sqlite.ts';
import { NewerSchemaError, type Store } from './store/store.ts';

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
  readonly clock?: Clock | undefined;
  /** How often callers may ask. Left out: as the documented sample says, and the platform's own key without limit. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** The process has nothing else to do than to be this platform: its globals may be replaced by faster ones. */
  readonly ownProcess?: boolean | undefined;
  /** Where images to edit may come from. Left out: public addresses and this platform. */
  readonly imageSources?: FetchPolicy | undefined;
  /** Left out: nothing is logged. */
  readonly log?: Logger | undefined;
}

export interface Platform {
  readonly announcement: PlatformAnnouncement;
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
  let store: Store | undefined;
  try {
    store = openStore(directory);
    const resources = openResources(store, clock, directory);
    const accounts = new Accounts(store, clock, new SessionSigner(await sessionSecret(directory?.path)));
    const running = await run(store, resources, accounts, clock, apiKey, log, options);
    const dataDir = directory?.path ?? null;
    log.info({ baseUrl: running.addresses.baseUrl, dataDir }, 'platform started');
    let closing: Promise<void> | undefined;
    const close = async (opened: Store): Promise<void> => {
      // On a full disk it cannot be said that we are leaving; the workers must be ended all the same.
      await directory?.leave().catch((error: unknown) => log.warn({ err: error }, 'the lock cannot be updated'));
      await running.close();
      opened.close();
      await directory?.release();
      log.info('platform stopped');
    };
    const opened = store;
    return {
      announcement: { ...running.addresses, apiKey, pid: process.pid, dataDir },
      close: () => (closing ??= close(opened)),
    };
  } catch (error) {
    store?.close();
    await directory?.release();
    throw error;
  }
}

async function run(
  store: Store,
  resources: Resources,
  accounts: Accounts,
  clock: Clock,
  apiKey: string,
  log: Logger,
  {
    port = 0,
    host,
    graceMs,
    maxWorkers = defaultMaxWorkers(),
    imageSources = {},
    ownProcess = false,
    rateLimits,
  }: PlatformOptions,
) {
  const engine: Engine = new Engine({
    store,
    clock,
    log,
    runtime: processRuntime(clock),
    capacity: new HostCapacity(maxWorkers),
    workerUrl: () => addressesOf(server).baseUrl + WORKER_PATH,
    graceMs: graceMs ?? DEFAULT_GRACE_MS,
    referencesOf: (accountId) => {
      const { templates, exists } = resources.of(accountId);
      return { findTemplate: (id) => templates.find(id), exists };
    },
    volumeDirectory: resources.volumeDirectory,
  });
  const images: ImageModel = new ImageModel({
    ...{ jobs: engine.jobs, store, clock, log, sources: imageSources },
    origin: () => addressesOf(server).baseUrl,
  });
  const services = { engine, accounts, images, store, resources, clock, addresses: () => addressesOf(server) };
  const server: Server = createServer(services, { apiKey, rateLimits, log, ownProcess });
  const ended = await engine.recover();
  if (ended > 0) log.warn({ processes: ended }, 'ended processes that an earlier platform had left behind');
  await listen(server, port, host).catch((error: unknown) => {
    throw listenFailure(port, error as NodeJS.ErrnoException);
  });
  if (host !== undefined && !isLoopback(host)) log.warn({ host }, OPEN_TO_OTHERS);
  engine.start();
  images.start();
  return {
    addresses: addressesOf(server),
    close: async () => {
      await images.close();
      await engine.close();
      await closeServer(server);
      await resources.close();
    },
  };
}

function openStore(directory: DataDirectory | undefined): Store {
  if (!directory) return openSqliteStore(':memory:');
  try {
    return openSqliteStore(directory.databaseFile);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw storeFailure(directory, error as Error & { errcode?: number });
  }
}

/** SQLite's result code for a file that another process has locked. */
const SQLITE_BUSY = 5;

function storeFailure({ path, databaseFile }: DataDirectory, cause: Error & { errcode?: number }): StartFailure {
  if (cause instanceof NewerSchemaError) {
    const problem = `the data directory ${path} was written by a newer version (${cause.message})`;
    return new StartFailure('dataDirNewer', problem, {
      remedy: 'update this one, or choose another --data-dir',
      cause,
    });
  }
  if (cause.errcode === SQLITE_BUSY) {
    const problem = `the data directory ${path} is in use by another local platform`;
    return new StartFailure('dataDirInUse', problem, { remedy: 'stop that one, or choose another --data-dir', cause });
  }
  const remedy = 'repair or move that file, or choose another --data-dir';
  return new StartFailure('dataDirUnusable', `${databaseFile} cannot be opened, ${cause.message}`, { remedy, cause });
}

function listenFailure(port: number, cause: NodeJS.ErrnoException): StartFailure {
  if (cause.code === 'EADDRINUSE') {
    const remedy = 'stop that one, or choose another --port (0 takes a free one)';
    return new StartFailure('portTaken', `port ${port} is taken by another program`, { remedy, cause });
  }
  if (cause.code === 'EACCES') {
    const remedy = 'choose a --port above 1023 (0 takes a free one)';
    return new StartFailure('portTaken', `port ${port} may not be used`, { remedy, cause });
  }
  return new StartFailure('failed', `port ${port} cannot be listened on, ${cause.message}`, { cause });
}
