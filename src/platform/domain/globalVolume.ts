import type { GlobalVolume } from '../../contract/globalVolume.ts';

/** A global volume as it is stored. It has no size: it grows with what is on it. */
export interface GlobalVolumeRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** The local platform has no users beside its owner, so nobody is named as creator. */
export function globalVolumeAnswer({ id, name, createdAt }: GlobalVolumeRecord): GlobalVolume {
  return { id, name, createdAt: new Date(createdAt).toISOString(), createdByUserId: null };
}
