import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { ApiError } from '../../client/apiError.ts';
import { hasS3Code } from '../../client/s3/s3Error.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import { showMessage } from '../../kit/messages.ts';
import { withProgress, type Report } from '../../kit/progress.ts';
import { UserError } from '../../kit/userError.ts';
import { volumeDataSize } from '../../text/quantities.ts';
import { shown } from '../../text/shownText.ts';
import { isFolder } from './actions/fileTree.ts';
import { TransferError } from './actions/transferError.ts';
import { downloadAll, uploadAll, type Progress } from './actions/transferFolders.ts';
import { ensureFileKey } from './askForFileKey.ts';
import { openVolume } from './openVolume.ts';
import { parseVolumeUri, VOLUME_SCHEME, volumeUri, type VolumeAddress } from './volumeAddress.ts';
import { volumeOf } from './volumeCommands.ts';

/** Adds the files of a volume to the workspace as a folder. */
export async function openFiles(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
  node: unknown,
): Promise<void> {
  const volume = await volumeOf(services, node);
  if (!volume) return;
  const { profile } = requireConnection(services.connections);
  if (!(await ensureFileKey(services, profile, volume))) return;
  const uri = volumeUri({ connectionId: profile.id, volumeId: volume.id, key: '' });
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (!folders.some((one) => one.uri.toString() === uri.toString()))
    vscode.workspace.updateWorkspaceFolders(folders.length, 0, { uri, name: volume.name });
  await vscode.commands.executeCommand('workbench.view.explorer');
}

/**
 * Uploads local files and folders.
 *
 * @param target a row of a volume, or the URI of one of its folders
 * @param given URIs to upload. Default: the user chooses them
 */
export async function upload(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
  target: unknown,
  given: unknown,
): Promise<void> {
  const place = await placeOf(services, target);
  if (!place) return;
  const { address, files } = place;
  const chosen = urisOf(given) ?? (await chooseSources());
  if (!chosen || chosen.length === 0) return;
  const prefix = address.key === '' ? '' : `${address.key}/`;
  const count = await transfer(l10n.t('Uploading'), address, (signal, onProgress) =>
    uploadAll(files, chosen.map(localPath), prefix, { signal, onProgress }),
  );
  await vscode.commands.executeCommand('workbench.files.action.refreshFilesExplorer');
  void showMessage('information', count === 1 ? shown`Uploaded 1 file.` : shown`Uploaded ${count} files.`);
}

/**
 * Downloads a file or a folder.
 *
 * @param source a row of a volume, or the URI of one of its files or folders
 * @param given URI of the local folder. Default: the user chooses it
 */
export async function download(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
  source: unknown,
  given: unknown,
): Promise<void> {
  const place = await placeOf(services, source);
  if (!place) return;
  const { address, files } = place;
  const [folder] = urisOf(given) ?? (await chooseFolder()) ?? [];
  if (!folder) return;
  const key = address.key !== '' && (await isFolder(files, address.key)) ? `${address.key}/` : address.key;
  const count = await transfer(l10n.t('Downloading'), address, (signal, onProgress) =>
    downloadAll(files, key, localPath(folder), { signal, onProgress }),
  );
  void showMessage('information', count === 1 ? shown`Downloaded 1 file.` : shown`Downloaded ${count} files.`);
}

interface Place {
  readonly address: VolumeAddress;
  readonly files: S3Files;
}

async function placeOf(
  services: Pick<AccountServices, 'clock' | 'connections' | 'localPlatform'>,
  target: unknown,
): Promise<Place | undefined> {
  if (target instanceof vscode.Uri) {
    const address = parseVolumeUri(target);
    return address && { address, files: await openVolume(services, address) };
  }
  const volume = await volumeOf(services, target);
  if (!volume) return undefined;
  const { profile } = requireConnection(services.connections);
  if (!(await ensureFileKey(services, profile, volume))) return undefined;
  const address = { connectionId: profile.id, volumeId: volume.id, key: '' };
  return { address, files: await openVolume(services, address) };
}

/** The explorer passes the selected rows as its second argument, which are files of the volume. */
function urisOf(given: unknown): readonly vscode.Uri[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const uris = given.filter((one): one is vscode.Uri => one instanceof vscode.Uri && one.scheme !== VOLUME_SCHEME);
  return uris.length > 0 ? uris : undefined;
}

/** Some systems have no dialog that offers files and folders. */
async function chooseSources(): Promise<readonly vscode.Uri[] | undefined> {
  return vscode.window.showOpenDialog({
    canSelectFiles: true,
    canSelectFolders: true,
    canSelectMany: true,
    openLabel: l10n.t('Upload'),
    title: l10n.t('Upload to Volume'),
  });
}

async function chooseFolder(): Promise<readonly vscode.Uri[] | undefined> {
  return vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: l10n.t('Download Here'),
    title: l10n.t('Download from Volume'),
  });
}

function localPath(uri: vscode.Uri): string {
  if (uri.scheme !== 'file') throw new UserError(l10n.t('only files of this machine can be transferred'));
  return uri.fsPath;
}

async function transfer(
  title: string,
  address: VolumeAddress,
  run: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<number>,
): Promise<number> {
  try {
    return await withProgress({ title, location: vscode.ProgressLocation.Notification }, (signal, report) =>
      run(signal, (progress) => show(report, progress)).catch((error: unknown) => {
        throw signal.aborted ? new vscode.CancellationError() : error;
      }),
    );
  } catch (error) {
    throw explained(error, address);
  }
}

function show(report: Report, { files, totalFiles, bytes, totalBytes }: Progress): void {
  const percent = totalBytes === 0 ? 0 : Math.floor((100 * bytes) / totalBytes);
  // A large file is then joined from its parts, or its checksum compared.
  if (bytes === totalBytes && files < totalFiles) report(l10n.t('completing the last file'), percent);
  else if (totalFiles === 1) report(shown`${volumeDataSize(bytes)} of ${volumeDataSize(totalBytes)}`, percent);
  else
    report(shown`${files} of ${totalFiles} files, ${volumeDataSize(bytes)} of ${volumeDataSize(totalBytes)}`, percent);
}

function explained(error: unknown, { volumeId }: VolumeAddress): unknown {
  const argument = { kind: 'resource', group: 'networkVolumes', id: volumeId };
  if (error instanceof TransferError)
    return new UserError(
      {
        changed: shown`${error.source} changed in the meantime; try again`,
        checksum: shown`the checksum of ${error.source} does not match; try again`,
        notPath: shown`the name ${error.source} leads out of the folder`,
      }[error.problem],
    );
  if (hasS3Code(error, 'QuotaExceeded'))
    return new UserError(l10n.t('the network volume is full'), {
      label: l10n.t('Grow…'),
      command: 'cloudCompute.volumes.resize',
      argument,
    });
  if (error instanceof ApiError && error.kind === 'unauthorized')
    return new UserError(l10n.t('the platform did not accept the key for files'), {
      label: l10n.t('Replace Key…'),
      command: 'cloudCompute.volumes.openFiles',
      argument,
    });
  if (error instanceof ApiError && (error.kind === 'network' || error.kind === 'timeout'))
    return new UserError(shown`${error.message}. The next attempt continues where this one ended`);
  return error;
}
