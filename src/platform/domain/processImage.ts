import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';
import { OWNER_ACCOUNT_ID } from './account.ts';
import { Refusal } from './refusal.ts';

/* Images that are directories on this machine. Their commands run as the user who runs the platform. */

/**
 * Returns true if an account may have process endpoints. Their workers have the permissions of that user, so accounts other
 * than the owner's need explicit permission.
 */
export function mayRunProcesses(accountId: string, allowed: boolean): boolean {
  return allowed || accountId === OWNER_ACCOUNT_ID;
}

export const isProcessImage = (image: string): boolean => image.startsWith(PROCESS_IMAGE_PREFIX);

/** @throws Refusal 403 if the image is a process image and the account may not use one */
export function checkProcessImage(image: string | undefined, permitted: boolean): void {
  if (permitted || image === undefined || !isProcessImage(image)) return;
  throw new Refusal(
    403,
    `access denied: an image "${PROCESS_IMAGE_PREFIX}…" runs programs on this machine as the user who runs the platform; ` +
      'only its owner may do this, unless the platform was started with --allow-process-endpoints',
  );
}
