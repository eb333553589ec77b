import nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import { PLATFORM_EXIT_CODES as EXIT_CODES } from '../../contract/launch/platformExit.ts';
import { compileCacheDirectory } from './compileCache.ts';
import { StartFailure } from '../startFailure.ts';
import type { Attachment } from './attach.ts';
import { readFlags, USAGE, type Flags } from './flags.ts';
import type { damageOf as DamageOf, Platform } from './start.ts';
import { sqliteModule } from '../store/sqlite/sqliteModule.ts';

/* Entry point of the local platform's process. Prints the addresses to stdout and the log to stderr, and stops gracefully. */

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

await main(process.argv.slice(2)).catch((error: unknown) => {
  const failure = error instanceof StartFailure ? error : undefined;
  const message = failure ? textOf(failure) : `the local platform failed: ${(error as Error).stack ?? String(error)}`;
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT_CODES[failure?.reason ?? 'failed'];
  process.stdin.destroy();
});

/** Omits the remedy with --json: programs show their own. */
function textOf({ problem, message }: StartFailure): string {
  return process.argv.includes('--json') ? problem : message;
}

async function main(args: readonly string[]): Promise<void> {
  const flags = readFlags(args);
  if (flags.help) {
    process.stdout.write(USAGE);
    return;
  }
  // Throws a clear error on an old Node, where the platform's libraries would fail with an unclear one.
  sqliteModule();
  // Caches the compiled code of everything that is loaded from here on. A named import of this function would fail on an old Node.
  const cache = compileCacheDirectory(process.platform, process.env);
  if (cache !== undefined) nodeModule.enableCompileCache(cache);
  const [{ startPlatform, damageOf }, { processLog }] = await Promise.all([
    import('./start.ts'),
    import('./processLog.ts'),
  ]);
  const log = processLog();
  // The process that reads the output may have ended. The workers must still be stopped.
  process.stdout.on('error', () => undefined);
  const [{ readOwnerKey, createdKeyFile }, { otlpTracesUrl }] = await Promise.all([
    import('./ownerKey.ts'),
    import('./otlpEndpoint.ts'),
  ]);
  const options = {
    ...flags,
    otlpTracesUrl: otlpTracesUrl(flags.otlpEndpoint, process.env),
    apiKey: await readOwnerKey(flags, process.env, () => process.stdin),
  };
  // An open standard input would keep this process alive.
  if (flags.apiKeyFile !== undefined && !flags.stopWithStdin) process.stdin.destroy();
  // Collects errors and signals during the start, until the platform can be stopped because of them. The first process of a container
  // ignores a signal without a handler. A second signal ends the process at once.
  const early: Early = { errors: [], stop: false };
  const note = (error: Error): void => void early.errors.push(error);
  const noteStop = (): void => {
    if (early.stop) process.exit(EXIT_CODES.failed);
    early.stop = true;
  };
  process.on('uncaughtException', note);
  for (const signal of STOP_SIGNALS) process.on(signal, noteStop);
  const start = (): Promise<Platform> => startPlatform({ ...options, log });
  // Keeps the young generation at its size after the code is loaded, about 8 MB. The start with a large database or a burst of log lines
  // would let it grow to 134 MB, which V8 never releases. Queues were at most 3% faster with four times the size.
  setFlagsFromString('--semi-space-growth-factor=1');
  const started = await start().catch(async (failure: unknown) => {
    const { findOrStart } = await import('./attach.ts');
    return findOrStart(options, failure, start);
  });
  process.off('uncaughtException', note);
  for (const signal of STOP_SIGNALS) process.off(signal, noteStop);
  if ('close' in started) {
    stopWhenAsked(started, { ...flags, log, damageOf, early });
    const { dataDir } = started.announcement;
    const isCreated = flags.createApiKey && options.apiKey === undefined && dataDir !== null;
    const keyFile = isCreated ? createdKeyFile(dataDir) : undefined;
    announce(
      started.announcement,
      { ...flags, keyFile },
      'The local platform is running. Press Ctrl+C to stop it and its workers.',
    );
    return;
  }
  if (early.stop) process.exit(EXIT_CODES.ok);
  const { announcement, shared } = started;
  // Attaches before the announcement, because the process that reads it may close standard input at once.
  if (shared) share(shared);
  announce(announcement, flags, `The local platform is already running as process ${announcement.pid}.`);
}

/** Keeps this process running until standard input ends or the platform stops. */
function share({ ended }: Attachment): void {
  for (const signal of STOP_SIGNALS) process.once(signal, () => process.exit(EXIT_CODES.ok));
  whenInputEnds(() => process.exit(EXIT_CODES.ok));
  void ended.then((reason) => {
    if (reason) process.stderr.write(`${reason.problem}\n`);
    process.exit(reason?.exitCode ?? EXIT_CODES.ok);
  });
}

interface AnnounceOptions extends Pick<Flags, 'json'> {
  /** File of the key, which is announced in place of the key, because logs of containers are kept and shared. */
  readonly keyFile?: string | undefined;
}

function announce(announcement: PlatformAnnouncement, { json, keyFile }: AnnounceOptions, title: string): void {
  const key = keyFile === undefined ? announcement.apiKey : `in ${keyFile}`;
  process.stdout.write(json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(title, announcement, key));
}

interface StopOptions extends Pick<Flags, 'stopWithStdin'> {
  readonly log: Logger;
  readonly damageOf: typeof DamageOf;
  readonly early: Early;
}

/** Events during the start. */
interface Early {
  readonly errors: Error[];
  /** Whether a signal asked the process to stop. */
  stop: boolean;
}

function stopWhenAsked(platform: Platform, { stopWithStdin, log, damageOf, early }: StopOptions): void {
  // `close` runs only once, so the first call decides the exit code.
  const stop = (failure?: StartFailure): void => {
    // Exits even if connections or timers are still open.
    void platform.close(failure).finally(() => process.exit(EXIT_CODES[failure?.reason ?? 'ok']));
  };
  // Uses `on` instead of `once`: a second signal or error would end this process before its workers, which would keep running. For
  // example, npm forwards the Ctrl+C that the terminal has already sent. The grace period of the workers limits the wait.
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop());
  const fail = (error: Error): void => {
    const damage = damageOf(error, platform.announcement);
    if (damage) process.stderr.write(`${textOf(damage)}\n`);
    else log.fatal({ err: error }, 'platform failed');
    stop(damage ?? new StartFailure('failed', 'the local platform failed', { cause: error }));
  };
  process.on('uncaughtException', fail);
  early.errors.forEach(fail);
  if (early.stop) stop();
  void platform.failed.then((failure) => {
    process.stderr.write(`${textOf(failure)}\n`);
    stop(failure);
  });
  void platform.stopRequested.then(() => stop());
  const leave = (): void => void platform.whenUnshared().then(() => stop());
  if (stopWithStdin) whenInputEnds(leave);
}

/** Calls back when standard input ends. It may have already ended when the key was read. */
function whenInputEnds(callback: () => void): void {
  if (process.stdin.readableEnded || process.stdin.closed) callback();
  else process.stdin.once('close', callback).resume();
}

function formatAnnouncement(
  title: string,
  { baseUrl, queueUrl, endpointHost, dataDir }: PlatformAnnouncement,
  key: string,
): string {
  return `${title}

  management    ${baseUrl}
  jobs          ${queueUrl}
  routes        ${endpointHost}
  API key       ${key}
  data          ${dataDir ?? 'in memory'}
`;
}
