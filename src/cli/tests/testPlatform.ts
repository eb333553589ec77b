import { createClient, type Client } from '../../client/client.ts';
import { loopbackFetch } from '../../client/loopbackFetch.ts';
import { launchPlatform, PlatformStartError } from '../../machine/platformLaunch.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';

export interface TestPlatform {
  readonly client: Client;
  /** Resolves with the reason if the platform ends before it is stopped. */
  readonly ended: Promise<string | undefined>;
  /** Stops the platform and its workers. Resolves once the process has exited. */
  stop(): Promise<void>;
}

/** Starts a platform that keeps all data in memory. @throws CannotRunError with the platform's explanation */
export async function startTestPlatform(script: string): Promise<TestPlatform> {
  const { announced, ended, stop } = launchPlatform({
    script,
    flags: ['--in-memory', '--port', '0'],
    // The client receives the errors of its requests, and a fatal error ends the process.
    onLogLine: () => undefined,
  });
  const announcement = await announced;
  if (announcement instanceof PlatformStartError)
    throw new CannotRunError(`the local platform cannot start: ${announcement.message}`, EXIT_CODES.cannotTest);
  return { client: createClient({ connection: announcement, fetch: globalThis.fetch, loopbackFetch }), ended, stop };
}
