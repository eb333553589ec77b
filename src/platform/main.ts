import { pino } from 'pino';
import type { PlatformAnnouncement } from '../contract/localPlatform.ts';
import { EXIT_CODES, StartFailure } from './exitCodes.ts';
import { readFlags, USAGE, type Flags } from './flags.ts';
import { startPlatform, type Platform } from './start.ts';

/* The local platform as a process: flags, start, addresses on stdout, its own log on stderr, and a graceful end. */

await main(process.argv.slice(2)).catch((error: unknown) => {
  const failure = error instanceof StartFailure ? error : undefined;
  const message = failure?.message ?? `the local platform failed: ${(error as Error).stack ?? String(error)}`;
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT_CODES[failure?.reason ?? 'failed'];
});

async function main(args: readonly string[]): Promise<void> {
  const flags = readFlags(args);
  if (flags.help) {
    process.stdout.write(USAGE);
    return;
  }
  const log = pino({ base: null }, pino.destination({ dest: 2, sync: true }));
  const platform = await startPlatform({ ...flags, log });
  stopWhenAsked(platform, flags);
  process.stdout.write(flags.json ? `${JSON.stringify(platform.announcement)}\n` : friendlyText(platform.announcement));
}

function stopWhenAsked(platform: Platform, { stopWithStdin }: Flags): void {
  const stop = (): void => {
    // Standard input, once read, would keep the process alive.
    process.stdin.destroy();
    void platform.close();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (!stopWithStdin) return;
  process.stdin.once('end', stop).once('error', stop).resume();
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
