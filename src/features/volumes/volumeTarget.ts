import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { listAll } from '../../client/listAll.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { pick } from '../../kit/quickInput.ts';

/** Returns the current volume of a row of the resources view. Without a row, the user picks one. @throws ApiError */
export async function volumeOf(
  { connections }: Pick<AccountServices, 'connections'>,
  node: unknown,
): Promise<NetworkVolume | undefined> {
  const { client } = requireConnection(connections);
  const { kind, group, id } = (node ?? {}) as { kind?: unknown; group?: unknown; id?: unknown };
  if (kind === 'resource') {
    if (group !== 'networkVolumes' || typeof id !== 'string') return undefined;
    return client.getNetworkVolume({ id });
  }
  const volumes = listAll(client, 'listNetworkVolumes', {}, 'networkVolumes').then((all) =>
    all.map((volume) => ({
      label: volume.name,
      description: l10n.t`${volume.size} GB · ${volume.dataCenter}`,
      volume,
    })),
  );
  return (await pick(volumes, { placeholder: l10n.t('Network volume') }))?.volume;
}
