import { PROCESS_IMAGE_PREFIX } from '../../contract/manifest.ts';
import { OWNER_ACCOUNT_ID } from './account.ts';
import { Refusal } from './refusal.ts';

/* Images that are directories of this machine, whose commands run as the user who runs the platform. */

/**
 * Whether an account may have such endpoints. Their workers can read and do what that user can: for others than the owner it has to be
 * allowed.
 */
export function mayRunProcesses(accountId: string, allowed: boolean): boolean {
  return allowed || accountId === OWNER_ACCOUNT_ID;
}

export const isProcessImage = (image: string): boolean => image.startsWith(PROCESS_IMAGE_PREFIX);

/** @throws Refusal 403 for such an image of an account that may not have it */
export function checkProcessImage(image: string | undefined, permitted: boolean): void {
  if (permitted || image === undefined || !isProcessImage(image)) return;
  throw new Refusal(
    403,
    `access denied: an image "${PROCESS_IMAGE_PREFIX}…" runs programs of this machine as the user who runs the platform, ` +
      'which only its owner may do, unless the platform was started with --allow-process-endpoints',
  );
}
