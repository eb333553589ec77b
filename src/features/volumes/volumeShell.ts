import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerFileSystem } from '../../kit/fileSystems.ts';
import { Lazy } from '../../kit/lazy.ts';
import { VOLUME_SCHEME } from './volumeAddress.ts';

/** Registers the files of network volumes. Their code is loaded with the first file. */
export function registerVolumeFiles(
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
