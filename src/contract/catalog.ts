import * as z from 'zod';
import { MAX_CUDA_LENGTH, MAX_GPU_COUNT, MAX_VCPUS } from './bounds.ts';
import { VOLUME_TYPES, VolumeType } from './networkVolume.ts';
import { booleanParameter, CudaVersion, integerParameter, listParameter, openEnum } from './schema.ts';

/* Catalog of hardware and data centers. Prices are USD per hour, memory is GB. */

export const AVAILABILITY_LEVELS = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;
const Availability = openEnum(AVAILABILITY_LEVELS);

/** A data center or a type of hardware, with its availability. */
export const CatalogAvailability = z.looseObject({ id: z.string(), name: z.string(), availability: Availability });
export type CatalogAvailability = z.infer<typeof CatalogAvailability>;

const usdPerHour = z.number().meta({ description: 'USD per hour.' });

export const GpuType = z.looseObject({
  id: z.string(),
  name: z.string(),
  pool: z.string().nullable().meta({ description: 'ID for gpu.pools of an endpoint. null if the type is in no pool.' }),
  manufacturer: openEnum(['NVIDIA', 'AMD', 'UNKNOWN']),
  memory: z.number().meta({ description: 'Memory in GB.' }),
  secure: z.boolean(),
  community: z.boolean(),
  price: z.looseObject({ secure: usdPerHour, community: usdPerHour, serverless: usdPerHour.optional() }),
  maxCount: z.looseObject({ secure: z.number(), community: z.number() }),
  availability: Availability.optional(),
  dataCenters: z.array(CatalogAvailability).optional(),
  cudaVersions: z.array(z.looseObject({ version: z.string(), available: z.boolean() })).optional(),
});
export type GpuType = z.infer<typeof GpuType>;

export const GpuTypeList = z.looseObject({ gpus: z.array(GpuType) });

export const CpuType = z.looseObject({
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.looseObject({ min: z.number(), max: z.number() }),
  ramGbPerVcpu: z.number(),
  price: z.looseObject({ securePerVcpu: usdPerHour, serverlessPerVcpu: usdPerHour }),
  availability: Availability.optional(),
  dataCenters: z.array(CatalogAvailability).optional(),
});
export type CpuType = z.infer<typeof CpuType>;

export const CpuTypeList = z.looseObject({ cpus: z.array(CpuType) });

const REGIONS = [
  'NORTH_AMERICA',
  'SOUTH_AMERICA',
  'EUROPE',
  'ASIA',
  'MIDDLE_EAST',
  'AFRICA',
  'OCEANIA',
  'ANTARCTICA',
  'UNKNOWN',
] as const;

const COMPLIANCES = [
  'GDPR',
  'ISO_IEC_27001',
  'ISO_14001',
  'PCI_DSS',
  'HITRUST',
  'SOC_1_TYPE_2',
  'SOC_2_TYPE_2',
  'SOC_3_TYPE_2',
  'ITAR',
  'FISMA_HIGH',
  'HIPAA',
  'RENEWABLE',
] as const;

export const DataCenter = z.looseObject({
  id: z.string(),
  name: z.string(),
  region: openEnum(REGIONS),
  globalNetwork: z.boolean(),
  networkVolumeTypes: z.array(openEnum(VOLUME_TYPES)),
  compliance: z.array(openEnum(COMPLIANCES)),
  gpuAvailability: z.array(CatalogAvailability).optional(),
  cpuAvailability: z.array(CatalogAvailability).optional(),
});
export type DataCenter = z.infer<typeof DataCenter>;

export const DataCenterList = z.looseObject({ dataCenters: z.array(DataCenter) });

/** Extra data in the response. Without `include=AVAILABILITY`, responses contain no availability and the other filters are invalid. */
const include = listParameter(z.enum(['AVAILABILITY']), { max: 1 }).optional();

export const GpuTypesQuery = z.strictObject({
  include,
  product: listParameter(z.enum(['POD', 'CLUSTER', 'SERVERLESS'])).optional(),
  count: integerParameter({ min: 1, max: MAX_GPU_COUNT })
    .optional()
    .meta({ description: 'GPUs per worker. Default: 1.', default: 1 }),
  cloud: z.enum(['SECURE', 'COMMUNITY']).optional(),
  countryCodes: listParameter(z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as DE')).optional(),
  cudaVersions: listParameter(CudaVersion).optional(),
  minCudaVersion: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a CUDA version such as 12.4')
    .max(MAX_CUDA_LENGTH)
    .optional(),
});
export type GpuTypesQuery = z.output<typeof GpuTypesQuery>;

export const CpuTypesQuery = z.strictObject({
  include,
  product: listParameter(z.enum(['POD', 'SERVERLESS'])).optional(),
  vcpuCount: integerParameter({ min: 2, max: MAX_VCPUS }).optional(),
});
export type CpuTypesQuery = z.output<typeof CpuTypesQuery>;

export const DataCenterQuery = z.strictObject({
  include: listParameter(z.enum(['GPU_AVAILABILITY', 'CPU_AVAILABILITY'])).optional(),
});

/**
 * A data center must match every filter. It matches `regions` if it is in one of them. It matches `networkVolumeTypes` and `compliance`
 * if it offers all of them.
 */
export const DataCentersQuery = z.strictObject({
  ...DataCenterQuery.shape,
  regions: listParameter(z.enum(REGIONS)).optional(),
  networkVolumeTypes: listParameter(VolumeType).optional(),
  compliance: listParameter(z.enum(COMPLIANCES)).optional(),
  globalNetwork: booleanParameter().optional(),
});
export type DataCentersQuery = z.output<typeof DataCentersQuery>;
