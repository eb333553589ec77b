import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { s3AccessOf } from '../../client/s3/s3Connection.ts';
import type { S3Files } from '../../client/s3/s3Files.ts';
import { UserError } from '../../kit/userError.ts';
import { filesOf } from './actions/filesOf.ts';

/** Thrown if a connection has no key for the files of volumes. */
class NoFileKeyError extends UserError {
  constructor() {
    super(
      l10n.t('the connection has no key for the files of volumes; “Open Files” in the menu of a volume asks for it'),
    );
    this.name = 'NoFileKeyError';
  }
}

type Services = Pick<AccountServices, 'connections' | 'clock'>;

/** Data centers of volumes by ID. They never change. */
const dataCenters = new Map<string, string>();

/** Returns a client of the files of a volume. @throws NotConnectedError, NoFileKeyError, ApiError */
export async function openVolume(
  services: Services,
  { connectionId, volumeId }: { readonly connectionId: string; readonly volumeId: string },
): Promise<S3Files> {
  await services.connections.load();
  const { client, profile } = requireConnectionOf(services.connections, connectionId);
  const access = s3AccessOf(profile);
  if (!access) throw new NoFileKeyError();
  const id = `${connectionId}/${volumeId}`;
  const dataCenter = dataCenters.get(id) ?? (await client.getNetworkVolume({ id: volumeId })).dataCenter;
  dataCenters.set(id, dataCenter);
  return filesOf(services, access, { id: volumeId, dataCenter });
}
