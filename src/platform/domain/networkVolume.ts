import { checkDataCenter } from '../../contract/hardwareRules.ts';
import type { CreateNetworkVolumeBody, NetworkVolume, UpdateNetworkVolumeBody } from '../../contract/networkVolume.ts';
import type { VolumeType } from '../../contract/networkVolume.ts';
import { violation } from '../../contract/violation.ts';
import { HARDWARE_CATALOG } from './hardwareCatalog.ts';
import { overlay } from './overlay.ts';
import { refuseViolations } from './refusal.ts';

/** A network volume in the store. `size` is in GB; times are milliseconds since the epoch. */
export interface NetworkVolumeRecord {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly dataCenter: string;
  readonly type: VolumeType;
  readonly createdAt: number;
}

/** @throws Refusal 400 for a data center that is not in the catalog */
export function createNetworkVolume(
  { name, size, dataCenter, type = 'STANDARD' }: CreateNetworkVolumeBody,
  { id, now }: { id: string; now: number },
): NetworkVolumeRecord {
  const unknown = checkDataCenter(dataCenter, ['dataCenter'], HARDWARE_CATALOG);
  if (unknown.length > 0) throw refuseViolations(unknown);
  return { id, name, size, dataCenter, type, createdAt: now };
}

/** Applies a change to a volume. A volume cannot shrink. @throws Refusal 400 */
export function changeNetworkVolume(volume: NetworkVolumeRecord, change: UpdateNetworkVolumeBody): NetworkVolumeRecord {
  if (change.size !== undefined && change.size < volume.size) {
    throw refuseViolations([violation(['size'], 'volumeShrinks', { size: volume.size })]);
  }
  return overlay(volume, change);
}

export function networkVolumeAnswer({ id, name, size, dataCenter, type }: NetworkVolumeRecord): NetworkVolume {
  return { id, name, size, dataCenter, type };
}
