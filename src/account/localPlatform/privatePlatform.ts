import { createClient, type Client } from '../../client/client.ts';
import { loopbackFetch } from '../../client/loopbackFetch.ts';
import type { ClientOptions } from '../../client/context.ts';
import { launchPlatform, PlatformStartError } from '../../machine/platformLaunch.ts';

export interface PrivateLaunch extends Pick<ClientOptions, 'clock'> {
  /** Path of the platform's program. */
  readonly script: string;
  /** Additional flags, such as those of the engine. Default: none. */
  readonly flags?: readonly string[];
}

/** A platform that one action uses, on a port of its own. It keeps all data in memory. */
export interface PrivatePlatform {
  readonly client: Client;
  /** For further clients, such as that of the control API. */
  readonly options: ClientOptions;
  readonly pid: number;
  /** Resolves with the reason once the platform has ended, or with undefined after a requested stop. */
  readonly ended: Promise<string | undefined>;
  /** Stops the platform and its workers. Resolves once the process has exited. */
  stop(): Promise<void>;
}

/**
 * Starts a private platform. No process is left if it fails.
 *
 * @throws PlatformStartError with the platform's explanation; the reason of the signal
 */
export async function startPrivatePlatform(
  { script, flags = [], clock }: PrivateLaunch,
  signal?: AbortSignal,
): Promise<PrivatePlatform> {
  signal?.throwIfAborted();
  const { announced, ended, stop } = launchPlatform({
    script,
    flags: ['--in-memory', '--port', '0', ...flags],
    // The client receives the errors of its requests, and a fatal error ends the process.
    onLogLine: () => undefined,
  });
  const stopEarly = (): void => void stop();
  signal?.addEventListener('abort', stopEarly, { once: true });
  const announcement = await announced;
  signal?.removeEventListener('abort', stopEarly);
  if (signal?.aborted) {
    await stop();
    signal.throwIfAborted();
  }
  if (announcement instanceof PlatformStartError) throw announcement;
  const options = { connection: announcement, fetch: globalThis.fetch, loopbackFetch, ...(clock && { clock }) };
  return { client: createClient(options), options, pid: announcement.pid, ended, stop };
}
