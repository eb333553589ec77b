import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';

/**
 * Starts or joins the local platform when the window opens, if it ran until the window was closed or reloaded. If the local platform is
 * the current connection, also joins one that another window or a terminal runs, when the window opens and each time it gets the focus.
 */
export function resumePlatform(
  services: Pick<AccountServices, 'context' | 'log' | 'connections' | 'localPlatform'>,
): vscode.Disposable {
  const { context, log, connections, localPlatform } = services;
  const isCurrent = (): boolean => connections.profile?.kind === 'local';
  const resume = async (): Promise<void> => {
    await connections.load();
    if (localPlatform.state.kind !== 'stopped') return;
    const wanted = localPlatform.wasRunning || (isCurrent() && (await isRunningIn(dataDirectory(context))));
    if (!wanted) return;
    const announcement = await localPlatform.start();
    if (isCurrent()) await useLocalPlatform(services, announcement);
  };
  const tryToResume = (): void => {
    resume().catch((error: unknown) => log.warn(`Could not resume the local platform: ${(error as Error).message}`));
  };
  tryToResume();
  return vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) tryToResume();
  });
}

async function isRunningIn(directory: string): Promise<boolean> {
  const { isHeld } = await import('./actions/dataDirectory.ts');
  return isHeld(directory);
}
