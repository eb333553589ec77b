import * as z from 'zod';
import { ResourceId } from '../../contract/control/resourceId.ts';
import { checkDataCenter } from '../../contract/hardwareRules.ts';
import {
  VolumeType,
  type CreateNetworkVolumeBody,
  type NetworkVolume,
  type UpdateNetworkVolumeBody,
} from '../../contract/networkVolume.ts';
import { violation } from '../../contract/violation.ts';
import { HARDWARE_CATALOG } from './hardwareCatalog.ts';
import { overlay, Gigabytes, Moment, Text, GlobalVolumeId } from './recordFields.ts';
import { refuseViolations } from './refusal.ts';
import type { GlobalVolume } from '../../contract/globalVolume.ts';
import { dateTime } from '../../contract/dateTime.ts';

/** A network volume in the store. */
export const NetworkVolumeRecord = z.object({
  id: ResourceId,
  name: Text,
  size: Gigabytes,
  dataCenter: Text,
  type: VolumeType,
  createdAt: Moment,
});
export type NetworkVolumeRecord = Readonly<z.infer<typeof NetworkVolumeRecord>>;

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

/** A global volume in the store. It has no fixed size: it grows with its files. */
export const GlobalVolumeRecord = z.object({ id: GlobalVolumeId, name: Text, createdAt: Moment });
export type GlobalVolumeRecord = Readonly<z.infer<typeof GlobalVolumeRecord>>;

/** The creator is null, because the local platform does not record which user created a volume. */
export function globalVolumeAnswer({ id, name, createdAt }: GlobalVolumeRecord): GlobalVolume {
  return { id, name, createdAt: dateTime(createdAt), createdByUserId: null };
}
