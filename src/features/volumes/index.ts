import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, type CommandTable } from '../../kit/commands.ts';
import { registerFileSystem } from '../../kit/safeErrors.ts';
import { Lazy } from '../../kit/lazy.ts';
import { VOLUME_SCHEME } from './volumeAddress.ts';

/** Registers the commands of network volumes, and their files. */
export function registerVolumes(
  services: Pick<AccountServices, 'log' | 'clock' | 'connections' | 'localPlatform' | 'endpoints' | 'liveValues'>,
): vscode.Disposable {
  return vscode.Disposable.from(
    registerVolumeFiles(services),
    registerCommands(services.log, volumeCommands(services)),
  );
}

/** Returns the commands for network volumes. */
function volumeCommands(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform' | 'endpoints' | 'liveValues'>,
): CommandTable {
  return {
    'cloudCompute.volumes.create': {
      failure: l10n.t('Could not create the network volume'),
      run: async () => (await import('./createCommand.ts')).askAndCreate(services),
    },
    'cloudCompute.volumes.resize': {
      failure: l10n.t('Could not grow the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndGrow(services, node),
    },
    'cloudCompute.volumes.rename': {
      failure: l10n.t('Could not rename the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndRename(services, node),
    },
    'cloudCompute.volumes.delete': {
      failure: l10n.t('Could not delete the network volume'),
      run: async (node) => (await import('./volumeCommands.ts')).askAndDelete(services, node),
    },
    'cloudCompute.volumes.openFiles': {
      failure: l10n.t('Could not open the files'),
      run: async (node) => (await import('./fileCommands.ts')).openFiles(services, node),
    },
    'cloudCompute.volumes.upload': {
      failure: l10n.t('Could not upload the files'),
      run: async (target, given) => (await import('./fileCommands.ts')).upload(services, target, given),
    },
    'cloudCompute.volumes.download': {
      failure: l10n.t('Could not download the files'),
      run: async (source, given) => (await import('./fileCommands.ts')).download(services, source, given),
    },
  };
}

/** Registers the files of network volumes. Their code is loaded with the first file. */
function registerVolumeFiles(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const files = new Lazy(async () => {
    const [{ VolumeFileSystem }, { openVolume }] = await Promise.all([
      import('./volumeFileSystem.ts'),
      import('./openVolume.ts'),
    ]);
    return new VolumeFileSystem(
      (address) => openVolume(services, address),
      (changes) => changed.fire(changes),
    );
  });
  const provider: vscode.FileSystemProvider = {
    onDidChangeFile: changed.event,
    // The platform reports no changes, so the editor looks for them before it saves.
    watch: () => new vscode.Disposable(() => undefined),
    stat: async (uri) => (await files.get()).stat(uri),
    readDirectory: async (uri) => (await files.get()).readDirectory(uri),
    readFile: async (uri) => (await files.get()).readFile(uri),
    writeFile: async (uri, content, options) => (await files.get()).writeFile(uri, content, options),
    createDirectory: async (uri) => (await files.get()).createDirectory(uri),
    delete: async (uri, options) => (await files.get()).delete(uri, options),
    rename: async (from, to, options) => (await files.get()).rename(from, to, options),
    copy: async (from, to, options) => (await files.get()).copy(from, to, options),
  };
  // A folder whose platform could not be reached is shown once it can.
  const refresh = () => {
    files.value?.forgetPermissions();
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === VOLUME_SCHEME);
    if (folders.length > 0) changed.fire(folders.map(({ uri }) => ({ type: vscode.FileChangeType.Changed, uri })));
  };
  return vscode.Disposable.from(
    changed,
    services.connections.onDidChange(refresh),
    registerFileSystem(VOLUME_SCHEME, provider),
  );
}
