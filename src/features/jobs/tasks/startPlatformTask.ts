import * as l10n from '@vscode/l10n';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { TaskWork } from './taskTerminal.ts';

/**
 * Starts the local platform, or joins the running one, and makes it the current connection. The task ends once the platform accepts requests,
 * so tasks and debug configurations can depend on it. Its cancellation ends the wait and not the platform, which windows share.
 */
export function startPlatformTask(services: AccountServices): TaskWork {
  return async (print, signal) => {
    print(l10n.t('Starting the local platform…'));
    const announcement = await orAborted(services.localPlatform.start(), signal);
    if (!announcement) {
      print(l10n.t('The task was canceled.'));
      return false;
    }
    await useLocalPlatform(services, announcement);
    print(l10n.t`The local platform accepts requests at ${announcement.baseUrl}`);
    return true;
  };
}

/** Resolves with undefined once the signal is aborted. */
function orAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
