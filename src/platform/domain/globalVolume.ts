import type { GlobalVolume } from '../../contract/globalVolume.ts';

/** A global volume in the store. It has no fixed size: it grows with its files. */
export interface GlobalVolumeRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** The creator is null, because the local platform does not record which user created a volume. */
export function globalVolumeAnswer({ id, name, createdAt }: GlobalVolumeRecord): GlobalVolume {
  return { id, name, createdAt: new Date(createdAt).toISOString(), createdByUserId: null };
}
