import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime } from './dateTime.ts';

/* Global volumes. They have no size, because they grow with their contents. */

export const GlobalVolume = z.looseObject({
  id: z.string(),
  name: z.string(),
  createdAt: DateTime,
  createdByUserId: z.string().nullable().optional(),
});
export type GlobalVolume = z.infer<typeof GlobalVolume>;

export const GlobalVolumeList = z.looseObject({ globalVolumes: z.array(GlobalVolume), ...paginated });

export const CreateGlobalVolumeBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(191)
    .meta({ description: 'Name of the volume. Leading and trailing blanks are removed.' }),
});
export type CreateGlobalVolumeBody = z.infer<typeof CreateGlobalVolumeBody>;
