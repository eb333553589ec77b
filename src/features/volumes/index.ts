import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { volumeCommands } from './commands.ts';
import { registerVolumeFiles } from './volumeShell.ts';

/** Registers the commands of network volumes, and their files. */
export function registerVolumes(
  services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'localPlatform' | 'endpoints' | 'liveValues'>,
): vscode.Disposable {
  return vscode.Disposable.from(
    registerVolumeFiles(services),
    registerCommands(services.log, volumeCommands(services)),
  );
}
