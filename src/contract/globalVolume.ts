import * as z from 'zod';
import { paginated } from './pagination.ts';
import { DateTime } from './dateTime.ts';

/* Global volumes (facts, section 2a). They have no size: they grow with what is on them. */

export const GlobalVolume = z.looseObject({
  id: z.string(),
  name: z.string(),
  createdAt: DateTime,
  createdByUserId: z.string().nullable().optional(),
});
export type GlobalVolume = z.infer<typeof GlobalVolume>;

export const GlobalVolumeList = z.looseObject({ globalVolumes: z.array(GlobalVolume), ...paginated });

export const CreateGlobalVolumeBody = z.strictObject({
  name: z.string().trim().min(1).max(191).meta({ description: 'Blanks around it are dropped.' }),
});
export type CreateGlobalVolumeBody = z.infer<typeof CreateGlobalVolumeBody>;
