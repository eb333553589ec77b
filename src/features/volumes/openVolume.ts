import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { LOCAL_ID } from '../../account/connections/connectionDocument.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { useLocalPlatform } from '../../account/localPlatform/useLocalPlatform.ts';
import { s3AccessOf } from '../../client/s3/s3Connection.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import { UserError } from '../../kit/userError.ts';
import { filesOf } from './actions/fileTree.ts';

/** Thrown if a connection has no key for the files of volumes. */
class NoFileKeyError extends UserError {
  constructor() {
    super(
      l10n.t('the connection has no key for the files of volumes; “Open Files” in the menu of a volume asks for it'),
    );
    this.name = 'NoFileKeyError';
  }
}

export type VolumeServices = Pick<AccountServices, 'connections' | 'clock' | 'localPlatform'>;

/** Data centers of volumes by ID. They never change. */
const dataCenters = new Map<string, string>();

/** Returns a client of the files of a volume. @throws NotConnectedError, NoFileKeyError, ApiError */
export async function openVolume(
  services: VolumeServices,
  { connectionId, volumeId }: { readonly connectionId: string; readonly volumeId: string },
): Promise<S3Files> {
  await services.connections.load();
  if (connectionId === LOCAL_ID) await resumeLocalPlatform(services);
  const { client, profile } = requireConnectionOf(services.connections, connectionId);
  const access = s3AccessOf(profile);
  if (!access) throw new NoFileKeyError();
  const id = `${connectionId}/${volumeId}`;
  const dataCenter = dataCenters.get(id) ?? (await client.getNetworkVolume({ id: volumeId })).dataCenter;
  dataCenters.set(id, dataCenter);
  return filesOf(services, access, { id: volumeId, dataCenter });
}

/**
 * Waits until the local platform runs, unless the user has stopped it. The first folder of a volume turns the workspace into another one,
 * whose window can open before the platform, and in a browser without the memory that it ran.
 */
async function resumeLocalPlatform(services: VolumeServices): Promise<void> {
  const { connections, localPlatform } = services;
  const isSuspended = connections.profile?.id === LOCAL_ID && !connections.client;
  const { kind } = localPlatform.state;
  const isStopped = localPlatform.wasRunning === false || kind === 'stopping' || kind === 'failed';
  if (isSuspended && !isStopped && vscode.workspace.isTrusted)
    await useLocalPlatform(services, await localPlatform.start());
}
