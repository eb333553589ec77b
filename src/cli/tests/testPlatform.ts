import { startPrivatePlatform, type PrivatePlatform } from '../../account/localPlatform/privatePlatform.ts';
import { PlatformStartError } from '../../machine/platformLaunch.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';

/** Starts a platform for tests. @throws CannotRunError with the platform's explanation */
export async function startTestPlatform(script: string): Promise<PrivatePlatform> {
  try {
    return await startPrivatePlatform({ script });
  } catch (error) {
    if (!(error instanceof PlatformStartError)) throw error;
    throw new CannotRunError(`the local platform cannot start: ${error.message}`, EXIT_CODES.cannotTest);
  }
}
