import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { isHeld } from './dataDirectory.ts';
import { dataDirectory } from './localPlatformSettings.ts';
import { useLocalPlatform } from './useLocalPlatform.ts';

/**
 * Joins the platform that another window or terminal runs, when this window works with the local one: as the window opens, and whenever
 * a person comes back to it. Nothing is started.
 */
export function joinRunningPlatform(services: Services): vscode.Disposable {
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
