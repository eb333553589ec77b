import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime } from './schema.ts';

/* Global volumes. They have no size, because they grow with their contents. */

export const GlobalVolume = z.looseObject({
  id: z.string().meta({ description: 'ID of the volume.' }),
  name: z.string().meta({ description: 'Display name.' }),
  createdAt: DateTime.meta({ description: 'Time of creation, as an RFC 3339 date-time.' }),
  createdByUserId: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'ID of the user that created the volume. null or omitted: unknown.' }),
});
export type GlobalVolume = z.infer<typeof GlobalVolume>;

export const GlobalVolumeList = z.looseObject({
  globalVolumes: z.array(GlobalVolume).meta({ description: 'Global volumes of the account.' }),
  ...paginated,
});

export const CreateGlobalVolumeBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(191)
    .meta({ description: 'Name of the volume. Leading and trailing blanks are removed.' }),
});
export type CreateGlobalVolumeBody = z.infer<typeof CreateGlobalVolumeBody>;
