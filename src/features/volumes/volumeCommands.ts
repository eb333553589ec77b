import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { MAX_VOLUME_GB } from '../../contract/bounds.ts';
import { confirmed } from '../../kit/messages.ts';
import { withProgress } from '../../kit/progress.ts';
import { askText } from '../../kit/steps.ts';
import { UserError } from '../../kit/userError.ts';
import { foreign, joined, shown } from '../../text/shownText.ts';
import { readMounts } from './actions/readMounts.ts';
import { listAll } from '../../client/listAll.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { pick } from '../../kit/quickInput.ts';

const LOCATION = { viewId: 'cloudCompute.resources' } as const;

/** Shows the volumes again after a change. */
export function refreshVolumes({ liveValues }: Pick<AccountServices, 'liveValues'>): void {
  liveValues.refresh('networkVolumes');
  void vscode.commands.executeCommand('cloudCompute.resources.refresh');
}

/** Returns why a text is not a valid size in GB, or undefined. */
export function sizeProblem(text: string, least: number): string | undefined {
  const size = Number(text);
  return Number.isInteger(size) && size >= least && size <= MAX_VOLUME_GB
    ? undefined
    : l10n.t`Enter a whole number from ${least} to ${MAX_VOLUME_GB}.`;
}

/** Returns the size that is proposed for a larger volume, in GB: half as much again, in tens. */
const grownSize = (size: number): number => Math.ceil((size * 1.5) / 10) * 10;

/** Asks for a larger size of a volume. */
export async function askAndGrow(
  services: Pick<AccountServices, 'connections' | 'liveValues'>,
  node: unknown,
): Promise<void> {
  const volume = await volumeOf(services, node);
  if (!volume) return;
  const { client } = requireConnection(services.connections);
  const answer = await askText({
    place: { title: shown`Grow Network Volume: ${volume.name}` },
    prompt: l10n.t`New size in GB. The volume has ${volume.size} GB, and cannot shrink.`,
    value: String(Math.min(grownSize(volume.size), MAX_VOLUME_GB)),
    problem: (text) => sizeProblem(text, volume.size + 1),
  });
  if (typeof answer !== 'string') return;
  await client.updateNetworkVolume({ id: volume.id, body: { size: Number(answer) } });
  refreshVolumes(services);
}

/** Asks for a new name of a volume. */
export async function askAndRename(
  services: Pick<AccountServices, 'connections' | 'liveValues'>,
  node: unknown,
): Promise<void> {
  const volume = await volumeOf(services, node);
  if (!volume) return;
  const { client } = requireConnection(services.connections);
  const answer = await askText({
    place: { title: l10n.t('Rename Network Volume') },
    prompt: shown`New name for “${volume.name}”`,
    value: volume.name,
    problem: (text) => (text.trim() === '' ? l10n.t('Enter a name.') : undefined),
  });
  if (typeof answer !== 'string' || answer.trim() === volume.name) return;
  await client.updateNetworkVolume({ id: volume.id, body: { name: answer.trim() } });
  refreshVolumes(services);
}

/** Deletes a volume with its files after a confirmation. Refuses while an endpoint mounts it. */
export async function askAndDelete(
  services: Pick<AccountServices, 'connections' | 'liveValues'>,
  node: unknown,
): Promise<void> {
  const volume = await volumeOf(services, node);
  if (!volume) return;
  const { client } = requireConnection(services.connections);
  const users = await withProgress(
    { title: l10n.t('Finding endpoints that mount the volume…'), location: LOCATION },
    (signal) => readMounts(client, volume.id, { signal }),
  );
  if (users.length > 0) {
    const names = joined(
      users.slice(0, 10).map((name) => foreign(name)),
      ', ',
    );
    throw new UserError(
      users.length === 1 ? shown`the endpoint ${names} mounts it` : shown`${users.length} endpoints mount it: ${names}`,
    );
  }
  const detail = shown`No endpoint mounts it. Its ${volume.size} GB of storage in ${volume.dataCenter} and all of its files are deleted. This cannot be undone.`;
  if (!(await confirmed(shown`Delete network volume “${volume.name}” with its files?`, detail, l10n.t('Delete'))))
    return;
  await client.deleteNetworkVolume({ id: volume.id });
  refreshVolumes(services);
}

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
