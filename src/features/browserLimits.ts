import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../vscode/commandIds.ts';
import { registerCommand } from '../vscode/commands.ts';
import type { Log } from '../vscode/log.ts';
import { UserError } from '../vscode/userError.ts';
import type { PlatformProcess } from './localPlatform/platformProcess.ts';

/* Parts that a browser cannot have. Its menus hide their commands. A key binding or another extension can still call them. */

/** An operation that needs a process, a folder on disk, or Node.js. The remedy is a platform that needs none of them. */
export class NeedsMachineError extends UserError {
  constructor() {
    super(l10n.t('this needs VS Code on the desktop or a remote window'), {
      label: l10n.t('Connect to a Platform'),
      command: 'cloudCompute.connect',
    });
    this.name = 'NeedsMachineError';
  }
}

/** Commands that run a process or read folders on disk. */
const COMMANDS: readonly CommandId[] = [
  'cloudCompute.localPlatform.start',
  'cloudCompute.localPlatform.stop',
  'cloudCompute.localPlatform.restart',
  'cloudCompute.localPlatform.reset',
  'cloudCompute.localPlatform.openLog',
  'cloudCompute.localPlatform.showDataFolder',
  'cloudCompute.localPlatform.manage',
  'cloudCompute.localPlatform.chooseEngine',
  'cloudCompute.localPlatform.pullImage',
  'cloudCompute.localPlatform.removeUnusedImages',
  'cloudCompute.localPlatform.seed',
  'cloudCompute.localPlatform.setClock',
  'cloudCompute.localPlatform.setFaults',
  'cloudCompute.agents.copyMcpConfiguration',
  'cloudCompute.batch.run',
  'cloudCompute.batch.manage',
  'cloudCompute.develop.debugWorker',
  'cloudCompute.develop.openTerminal',
  'cloudCompute.develop.installDebugpy',
  'cloudCompute.sample.try',
  'cloudCompute.fullLog.find',
  'cloudCompute.fullLog.findNext',
  'cloudCompute.fullLog.findPrevious',
];

/** Registers the commands that a browser cannot run, so that each one gives its reason. */
export function registerBrowserLimits(log: Log): vscode.Disposable {
  return vscode.Disposable.from(
    ...COMMANDS.map((id) =>
      registerCommand(log, id, l10n.t('Could not run the command'), () => {
        throw new NeedsMachineError();
      }),
    ),
  );
}

/** The local platform of a browser, which never starts. */
export const noPlatformProcess: PlatformProcess = () => Promise.reject(new NeedsMachineError());
