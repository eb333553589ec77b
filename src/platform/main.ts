import { setFlagsFromString } from 'node:v8';
import { pino, type Logger } from 'pino';
import { PLATFORM_EXIT_CODES as EXIT_CODES, type PlatformAnnouncement } from '../contract/localPlatform.ts';
import { StartFailure } from './startFailure.ts';
import { readFlags, USAGE, type Flags } from './flags.ts';
import type { Platform } from './start.ts';
import { sqliteModule } from './store/sqliteModule.ts';

/* The local platform as a process: flags, start, addresses on stdout, its own log on stderr, and a graceful end. */

// The young generation stays small: a flood of lines would let it grow to a hundred megabytes that are never given back.
setFlagsFromString('--semi-space-growth-factor=1');

await main(process.argv.slice(2)).catch((error: unknown) => {
  const failure = error instanceof StartFailure ? error : undefined;
  // Programs, which ask for JSON, have remedies of their own.
  const text = process.argv.includes('--json') ? failure?.problem : failure?.message;
  const message = text ?? `the local platform failed: ${(error as Error).stack ?? String(error)}`;
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT_CODES[failure?.reason ?? 'failed'];
});

async function main(args: readonly string[]): Promise<void> {
  const flags = readFlags(args);
  if (flags.help) {
    process.stdout.write(USAGE);
    return;
  }
  // Checked before the rest is loaded: on an old Node its libraries would fail first, and say nothing useful.
  sqliteModule();
  const { startPlatform } = await import('./start.ts');
  const output = pino.destination({ dest: 2, sync: true });
  // Whoever read our output may be gone; the workers must be ended all the same.
  output.on('error', () => undefined);
  process.stdout.on('error', () => undefined);
  const log = pino({ base: null }, output);
  const platform = await startPlatform({ ...flags, log, ownProcess: true });
  stopWhenAsked(platform, flags, log);
  process.stdout.write(flags.json ? `${JSON.stringify(platform.announcement)}\n` : friendlyText(platform.announcement));
}

function stopWhenAsked(platform: Platform, { stopWithStdin }: Flags, log: Logger): void {
  const stop = (code: number): void => {
    // Left open connections and timers must not keep the process.
    void platform.close().finally(() => process.exit(code));
  };
  process.once('SIGINT', () => stop(EXIT_CODES.ok));
  process.once('SIGTERM', () => stop(EXIT_CODES.ok));
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'platform failed');
    stop(EXIT_CODES.failed);
  });
  if (stopWithStdin) process.stdin.once('close', () => stop(EXIT_CODES.ok)).resume();
}

function friendlyText({ baseUrl, queueUrl, endpointHost, apiKey, dataDir }: PlatformAnnouncement): string {
  return `The local platform is running. Ctrl-C stops it and its workers.

  management    ${baseUrl}
  jobs          ${queueUrl}
  routes        ${endpointHost}
  API key       ${apiKey}
  kept in       ${dataDir ?? 'memory'}
`;
}
