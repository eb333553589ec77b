import * as l10n from '@vscode/l10n';
import * as account from '../../../account/localPlatform/privatePlatform.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import { UserError } from '../../../kit/userError.ts';
import { PlatformStartError } from '../../../machine/platformLaunch.ts';

/** A platform that only one check uses. */
export interface PrivatePlatform extends account.PrivatePlatform {
  readonly control: ControlClient;
  /** Host and port. */
  readonly authority: string;
}

/** Starts a platform. @throws UserError with its explanation; the reason of the signal */
export async function startPrivatePlatform(
  launch: account.PrivateLaunch,
  signal: AbortSignal,
): Promise<PrivatePlatform> {
  try {
    const platform = await account.startPrivatePlatform(launch, signal);
    const authority = new URL(platform.options.connection.baseUrl).host;
    return { ...platform, control: createControlClient(platform.options), authority };
  } catch (error) {
    if (!(error instanceof PlatformStartError)) throw error;
    throw new UserError(l10n.t`the local platform cannot start: ${error.message}`);
  }
}
