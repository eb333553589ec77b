import * as z from 'zod';
import { MAX_VOLUME_GB } from './bounds.ts';
import { paginated } from './pagination.ts';
import { openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Network volumes. Sizes are GB. */

export const VOLUME_TYPES = ['STANDARD', 'HIGH_PERFORMANCE'] as const;
export const VolumeType = z.enum(VOLUME_TYPES);
export type VolumeType = z.infer<typeof VolumeType>;

const Size = z.int().min(10).max(MAX_VOLUME_GB);

export const NetworkVolume = z.looseObject({
  id: z.string(),
  name: z.string(),
  size: z.number().meta({ description: 'Size in GB.' }),
  dataCenter: z.string(),
  type: openEnum(VOLUME_TYPES),
});
export type NetworkVolume = z.infer<typeof NetworkVolume>;

export const NetworkVolumeList = z.looseObject({ networkVolumes: z.array(NetworkVolume), ...paginated });

export const CreateNetworkVolumeBody = z.strictObject({
  name: z.string().min(1),
  size: Size.meta({ description: 'Size in GB.' }),
  dataCenter: z.string().min(1).meta({ description: 'ID of the data center. It cannot be changed later.' }),
  type: VolumeType.optional().meta({ description: 'Type of storage. It cannot be changed later.' }),
});
export type CreateNetworkVolumeBody = z.infer<typeof CreateNetworkVolumeBody>;

/** Body with at least one field. A volume cannot shrink. */
export const UpdateNetworkVolumeBody = z
  .strictObject({
    name: z.string().min(1).optional(),
    size: Size.optional().meta({ description: 'Size in GB. It must be at least the current size.' }),
  })
  .refine((body) => Object.keys(body).length > 0, schemaRule('nothingChanged', {}))
  .meta({ minProperties: 1 });
export type UpdateNetworkVolumeBody = z.infer<typeof UpdateNetworkVolumeBody>;
