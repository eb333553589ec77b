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

/* The local platform as a process: flags, start, addresses on stdout, its own log on stderr, and a graceful end. */

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
  // Checked before the rest is loaded: on an old Node its libraries would fail first, and say nothing useful.
  sqliteModule();
  // What is loaded from here on is compiled by the first start only. An import by name would fail on an old Node.
  const cache = compileCacheDirectory(process.platform, process.env);
  if (cache !== undefined) nodeModule.enableCompileCache(cache);
  const [{ startPlatform, damageOf }, { processLog }] = await Promise.all([
    import('./start.ts'),
    import('./processLog.ts'),
  ]);
  const log = processLog();
  // Whoever read our output may be gone; the workers must be ended all the same.
  process.stdout.on('error', () => undefined);
  const { readOwnerKey } = await import('./ownerKey.ts');
  const asked = { ...flags, apiKey: await readOwnerKey(flags, process.env, () => process.stdin) };
  // An open standard input would keep this process alive.
  if (flags.apiKeyFile !== undefined && !flags.stopWithStdin) process.stdin.destroy();
  // Collects errors during the start, until the platform can be stopped because of them.
  const early: Error[] = [];
  const note = (error: Error): void => void early.push(error);
  process.on('uncaughtException', note);
  const start = (): Promise<Platform> => startPlatform({ ...asked, log });
  const started = await start().catch(async (failure: unknown) => {
    const { findOrStart } = await import('./attach.ts');
    return findOrStart(asked, failure, start);
  });
  // The young generation stays as large as it has become at the start, some 8 MB: a flood of lines would let it grow to a hundred
  // megabytes that are never given back. Queues did no more than 3 % better with four times as much.
  setFlagsFromString('--semi-space-growth-factor=1');
  process.off('uncaughtException', note);
  if ('close' in started) {
    stopWhenAsked(started, { ...flags, log, damageOf, early });
    announce(started.announcement, flags, 'The local platform is running. Ctrl-C stops it and its workers.');
    return;
  }
  const { announcement, shared } = started;
  // Before it is announced: whoever reads that may ask us to end at once.
  if (shared) share(shared);
  announce(announcement, flags, `The local platform is running already, as process ${announcement.pid}.`);
}

/** Stays until standard input ends, or the platform does. */
function share({ ended }: Attachment): void {
  for (const signal of STOP_SIGNALS) process.once(signal, () => process.exit(EXIT_CODES.ok));
  whenInputEnds(() => process.exit(EXIT_CODES.ok));
  void ended.then((announced) => {
    if (!announced) process.stderr.write('the local platform, which another process had started, is gone\n');
    process.exit(announced ? EXIT_CODES.ok : EXIT_CODES.failed);
  });
}

function announce(announcement: PlatformAnnouncement, { json }: Flags, title: string): void {
  process.stdout.write(json ? `${JSON.stringify(announcement)}\n` : friendlyText(title, announcement));
}

interface StopOptions extends Pick<Flags, 'stopWithStdin'> {
  readonly log: Logger;
  readonly damageOf: typeof DamageOf;
  /** Uncaught errors from the start. */
  readonly early: readonly Error[];
}

function stopWhenAsked(platform: Platform, { stopWithStdin, log, damageOf, early }: StopOptions): void {
  // The first call decides the code: there is one end only, however often it is asked for.
  const stop = (code: number): void => {
    // Left open connections and timers must not keep the process.
    void platform.close().finally(() => process.exit(code));
  };
  // `on`, not `once`: a second signal (npm passes Ctrl-C on, which the terminal has sent already) or a second error would end this process
  // before its workers, which outlive it. Waiting is bounded by the time workers have to end.
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop(EXIT_CODES.ok));
  const fail = (error: Error): void => {
    const damage = damageOf(error, platform.announcement);
    if (damage) process.stderr.write(`${textOf(damage)}\n`);
    else log.fatal({ err: error }, 'platform failed');
    stop(EXIT_CODES[damage?.reason ?? 'failed']);
  };
  process.on('uncaughtException', fail);
  early.forEach(fail);
  void platform.whenAskedToStop.then(() => stop(EXIT_CODES.ok));
  const leave = (): void => void platform.whenUnshared().then(() => stop(EXIT_CODES.ok));
  if (stopWithStdin) whenInputEnds(leave);
}

/** Calls back when standard input ends. It may have ended already while the key was read. */
function whenInputEnds(callback: () => void): void {
  if (process.stdin.readableEnded || process.stdin.closed) callback();
  else process.stdin.once('close', callback).resume();
}

function friendlyText(
  title: string,
  { baseUrl, queueUrl, endpointHost, apiKey, dataDir }: PlatformAnnouncement,
): string {
  return `${title}

  management    ${baseUrl}
  jobs          ${queueUrl}
  routes        ${endpointHost}
  API key       ${apiKey}
  kept in       ${dataDir ?? 'memory'}
`;
}
