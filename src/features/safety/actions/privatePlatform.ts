import * as l10n from '@vscode/l10n';
import { createClient, type Client } from '../../../client/client.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import { loopbackFetch } from '../../../client/loopbackFetch.ts';
import { UserError } from '../../../kit/userError.ts';
import { launchPlatform, PlatformStartError } from '../../../machine/platformLaunch.ts';

/** A platform that only one check uses. It keeps all data in memory. */
export interface PrivatePlatform {
  readonly client: Client;
  readonly control: ControlClient;
  /** Host and port. */
  readonly authority: string;
  /** Resolves with the reason if the platform ends before it is stopped. */
  readonly ended: Promise<string | undefined>;
  /** Stops the platform and its workers. Resolves once the process has exited. */
  stop(): Promise<void>;
}

/** Starts a platform. @param script path of its program @throws UserError with its explanation */
export async function startPrivatePlatform(script: string): Promise<PrivatePlatform> {
  const { announced, ended, stop } = launchPlatform({
    script,
    flags: ['--in-memory', '--port', '0'],
    // The client receives the errors of its requests, and a fatal error ends the process.
    onLogLine: () => undefined,
  });
  const announcement = await announced;
  if (announcement instanceof PlatformStartError)
    throw new UserError(l10n.t`the local platform cannot start: ${announcement.message}`);
  const options = { connection: announcement, fetch: globalThis.fetch, loopbackFetch };
  const authority = new URL(announcement.baseUrl).host;
  return { client: createClient(options), control: createControlClient(options), authority, ended, stop };
}
