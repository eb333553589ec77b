import * as z from 'zod';
import type { GlobalVolume } from '../../contract/globalVolume.ts';
import { GlobalVolumeId, Moment, Text } from './recordFields.ts';

/** A global volume in the store. It has no fixed size: it grows with its files. */
export const GlobalVolumeRecord = z.object({ id: GlobalVolumeId, name: Text, createdAt: Moment });
export type GlobalVolumeRecord = Readonly<z.infer<typeof GlobalVolumeRecord>>;

/** The creator is null, because the local platform does not record which user created a volume. */
export function globalVolumeAnswer({ id, name, createdAt }: GlobalVolumeRecord): GlobalVolume {
  return { id, name, createdAt: new Date(createdAt).toISOString(), createdByUserId: null };
}
