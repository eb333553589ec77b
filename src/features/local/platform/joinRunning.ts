import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { isHeld } from './actions/dataDirectory.ts';
import { dataDirectory } from '../../../account/localPlatform/localPlatformSettings.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';

/**
 * Joins a local platform that another window or a terminal runs, if the local platform is the current connection. Tries when the window
 * opens and each time it gets the focus. Never starts a platform.
 */
export function joinRunningPlatform(services: AccountServices): vscode.Disposable {
  const { context, log, connections, localPlatform } = services;
  const join = async (): Promise<void> => {
    await connections.load();
    if (localPlatform.state.kind !== 'stopped' || connections.profile?.kind !== 'local') return;
    if (await isHeld(dataDirectory(context))) await useLocalPlatform(services, await localPlatform.start());
  };
  const tryToJoin = (): void => {
    join().catch((error: unknown) =>
      log.warn(`Could not join the running local platform: ${(error as Error).message}`),
    );
  };
  tryToJoin();
  return vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) tryToJoin();
  });
}
