import * as z from 'zod';
import { MAX_VOLUME_GB } from './bounds.ts';
import { paginated } from './pagination.ts';
import { openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Network volumes. Sizes are GB. */

export const VOLUME_TYPES = ['STANDARD', 'HIGH_PERFORMANCE'] as const;
export const VolumeType = z.enum(VOLUME_TYPES);
export type VolumeType = z.infer<typeof VolumeType>;

/** Minimum size in GB. */
export const MIN_VOLUME_GB = 10;

const Size = z.int().min(MIN_VOLUME_GB).max(MAX_VOLUME_GB);

export const NetworkVolume = z.looseObject({
  id: z.string().meta({ description: 'ID of the volume.' }),
  name: z.string().meta({ description: 'Display name.' }),
  size: z.number().meta({ description: 'Size in GB.' }),
  dataCenter: z.string().meta({ description: 'ID of the data center.' }),
  type: openEnum(VOLUME_TYPES).meta({ description: 'Type of storage.' }),
});
export type NetworkVolume = z.infer<typeof NetworkVolume>;

export const NetworkVolumeList = z.looseObject({
  networkVolumes: z.array(NetworkVolume).meta({ description: 'Network volumes of the account.' }),
  ...paginated,
});

export const CreateNetworkVolumeBody = z.strictObject({
  name: z.string().min(1).meta({ description: 'Display name.' }),
  size: Size.meta({ description: 'Size in GB.' }),
  dataCenter: z.string().min(1).meta({ description: 'ID of the data center. It cannot be changed later.' }),
  type: VolumeType.optional().meta({ description: 'Type of storage. It cannot be changed later. Default: STANDARD.' }),
});
export type CreateNetworkVolumeBody = z.infer<typeof CreateNetworkVolumeBody>;

/** Body with at least one field. A volume cannot shrink. */
export const UpdateNetworkVolumeBody = z
  .strictObject({
    name: z.string().min(1).optional().meta({ description: 'Display name. Default: no change.' }),
    size: Size.optional().meta({
      description: 'Size in GB. It must be at least the current size. Default: no change.',
    }),
  })
  .refine((body) => Object.keys(body).length > 0, schemaRule('nothingChanged', {}))
  .meta({ minProperties: 1 });
export type UpdateNetworkVolumeBody = z.infer<typeof UpdateNetworkVolumeBody>;
