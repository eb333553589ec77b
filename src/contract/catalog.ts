import * as z from 'zod';
import { MAX_CUDA_LENGTH, MAX_GPU_COUNT, MAX_VCPUS } from './bounds.ts';
import { VOLUME_TYPES, VolumeType } from './networkVolume.ts';
import { booleanParameter, CudaVersion, integerParameter, listParameter, openEnum } from './schema.ts';

/* Catalog of hardware and data centers. Prices are USD per hour, memory is GB. */

export const AVAILABILITY_LEVELS = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;
const Availability = openEnum(AVAILABILITY_LEVELS).meta({
  description: 'Availability, from NONE to HIGH.',
});

const INCLUDED = 'Present with include=AVAILABILITY.';

/** A data center or a type of hardware, with its availability. */
export const CatalogAvailability = z.looseObject({
  id: z.string().meta({ description: 'ID of the data center, GPU type, or CPU flavor.' }),
  name: z.string().meta({ description: 'Display name.' }),
  availability: Availability,
});
export type CatalogAvailability = z.infer<typeof CatalogAvailability>;

const usdPerHour = z.number().meta({ description: 'USD per hour.' });

export const GpuType = z.looseObject({
  id: z.string().meta({ description: 'ID of the GPU type.' }),
  name: z.string().meta({ description: 'Display name.' }),
  pool: z.string().nullable().meta({ description: 'ID for gpu.pools of an endpoint. null if the type is in no pool.' }),
  manufacturer: openEnum(['NVIDIA', 'AMD', 'UNKNOWN']).meta({ description: 'Manufacturer of the GPU.' }),
  memory: z.number().meta({ description: 'Memory in GB.' }),
  secure: z.boolean().meta({ description: 'true: the secure cloud has the type.' }),
  community: z.boolean().meta({ description: 'true: the community cloud has the type.' }),
  price: z
    .looseObject({
      secure: usdPerHour.meta({ description: 'Price in the secure cloud, in USD per hour.' }),
      community: usdPerHour.meta({ description: 'Price in the community cloud, in USD per hour.' }),
      serverless: usdPerHour.optional().meta({ description: 'Price for serverless workers, in USD per hour.' }),
    })
    .meta({ description: 'Prices of one GPU.' }),
  maxCount: z
    .looseObject({
      secure: z.number().meta({ description: 'Maximum number in the secure cloud.' }),
      community: z.number().meta({ description: 'Maximum number in the community cloud.' }),
    })
    .meta({ description: 'Maximum number of GPUs per pod or worker.' }),
  availability: Availability.optional().meta({ description: `Availability over all data centers. ${INCLUDED}` }),
  dataCenters: z
    .array(CatalogAvailability)
    .optional()
    .meta({ description: `Availability in each data center. ${INCLUDED}` }),
  cudaVersions: z
    .array(
      z.looseObject({
        version: z.string().meta({ description: 'CUDA version, such as 12.4.' }),
        available: z
          .boolean()
          .meta({ description: 'true: a host with this version is available and matches the query.' }),
      }),
    )
    .optional()
    .meta({ description: `CUDA versions of the hosts. ${INCLUDED}` }),
});
export type GpuType = z.infer<typeof GpuType>;

export const GpuTypeList = z.looseObject({ gpus: z.array(GpuType).meta({ description: 'GPU types of the catalog.' }) });

export const CpuType = z.looseObject({
  id: z.string().meta({ description: 'ID of the CPU flavor.' }),
  name: z.string().meta({ description: 'Display name.' }),
  group: z.string().meta({ description: 'Group of similar flavors.' }),
  vcpu: z
    .looseObject({
      min: z.number().meta({ description: 'Minimum number of vCPUs.' }),
      max: z.number().meta({ description: 'Maximum number of vCPUs.' }),
    })
    .meta({ description: 'Range of vCPUs per worker.' }),
  ramGbPerVcpu: z.number().meta({ description: 'Memory per vCPU, in GB.' }),
  price: z
    .looseObject({
      securePerVcpu: usdPerHour.meta({ description: 'Price of a vCPU in the secure cloud, in USD per hour.' }),
      serverlessPerVcpu: usdPerHour.meta({ description: 'Price of a vCPU for serverless workers, in USD per hour.' }),
    })
    .meta({ description: 'Prices of one vCPU.' }),
  availability: Availability.optional().meta({ description: `Availability over all data centers. ${INCLUDED}` }),
  dataCenters: z
    .array(CatalogAvailability)
    .optional()
    .meta({ description: `Availability in each data center. ${INCLUDED}` }),
});
export type CpuType = z.infer<typeof CpuType>;

export const CpuTypeList = z.looseObject({
  cpus: z.array(CpuType).meta({ description: 'CPU flavors of the catalog.' }),
});

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
  id: z.string().meta({ description: 'ID of the data center.' }),
  name: z.string().meta({ description: 'Display name.' }),
  region: openEnum(REGIONS).meta({ description: 'Region of the data center.' }),
  globalNetwork: z.boolean().meta({ description: 'true: the data center supports the global network.' }),
  networkVolumeTypes: z
    .array(openEnum(VOLUME_TYPES))
    .meta({ description: 'Types of network volumes in the data center.' }),
  compliance: z.array(openEnum(COMPLIANCES)).meta({ description: 'Standards that the data center complies with.' }),
  gpuAvailability: z
    .array(CatalogAvailability)
    .optional()
    .meta({ description: 'Availability of each GPU type. Present with include=GPU_AVAILABILITY.' }),
  cpuAvailability: z
    .array(CatalogAvailability)
    .optional()
    .meta({ description: 'Availability of each CPU flavor. Present with include=CPU_AVAILABILITY.' }),
});
export type DataCenter = z.infer<typeof DataCenter>;

export const DataCenterList = z.looseObject({
  dataCenters: z.array(DataCenter).meta({ description: 'Data centers of the catalog.' }),
});

/** Extra data in the response. Without `include=AVAILABILITY`, responses contain no availability and the other filters are invalid. */
const include = listParameter(z.enum(['AVAILABILITY']), { max: 1 })
  .optional()
  .meta({ description: 'Extra data in the response. The other parameters require AVAILABILITY. Default: none.' });

const PRODUCT = 'Products for which to report the availability. Required with include=AVAILABILITY.';

export const GpuTypesQuery = z.strictObject({
  include,
  product: listParameter(z.enum(['POD', 'CLUSTER', 'SERVERLESS']))
    .optional()
    .meta({ description: PRODUCT }),
  count: integerParameter({ min: 1, max: MAX_GPU_COUNT })
    .optional()
    .meta({ description: 'GPUs per worker. Default: 1.', default: 1 }),
  cloud: z.enum(['SECURE', 'COMMUNITY']).optional().meta({ description: 'Cloud of the hosts. Default: both.' }),
  countryCodes: listParameter(z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as DE'))
    .optional()
    .meta({ description: 'Countries of the hosts, as ISO 3166-1 alpha-2 codes. Default: all countries.' }),
  cudaVersions: listParameter(CudaVersion).optional().meta({
    description: 'CUDA versions of the hosts. Cannot be combined with minCudaVersion. Default: all versions.',
  }),
  minCudaVersion: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a CUDA version such as 12.4')
    .max(MAX_CUDA_LENGTH)
    .optional()
    .meta({
      description: 'Lowest CUDA version of the hosts. Cannot be combined with cudaVersions. Default: any version.',
    }),
});
export type GpuTypesQuery = z.output<typeof GpuTypesQuery>;

export const CpuTypesQuery = z.strictObject({
  include,
  product: listParameter(z.enum(['POD', 'SERVERLESS']))
    .optional()
    .meta({ description: PRODUCT }),
  vcpuCount: integerParameter({ min: 2, max: MAX_VCPUS })
    .optional()
    .meta({ description: 'vCPUs per worker. Default: 2.' }),
});
export type CpuTypesQuery = z.output<typeof CpuTypesQuery>;

export const DataCenterQuery = z.strictObject({
  include: listParameter(z.enum(['GPU_AVAILABILITY', 'CPU_AVAILABILITY']))
    .optional()
    .meta({ description: 'Extra data in the response. Default: none.' }),
});

/**
 * A data center must match every filter. It matches `regions` if it is in one of them. It matches `networkVolumeTypes` and `compliance`
 * if it offers all of them.
 */
export const DataCentersQuery = z.strictObject({
  ...DataCenterQuery.shape,
  regions: listParameter(z.enum(REGIONS))
    .optional()
    .meta({ description: 'Regions. A data center must be in one of them. Default: all regions.' }),
  networkVolumeTypes: listParameter(VolumeType)
    .optional()
    .meta({ description: 'Types of network volumes. A data center must offer all of them. Default: no filter.' }),
  compliance: listParameter(z.enum(COMPLIANCES))
    .optional()
    .meta({ description: 'Standards. A data center must comply with all of them. Default: no filter.' }),
  globalNetwork: booleanParameter()
    .optional()
    .meta({ description: 'Whether a data center must support the global network. Default: no filter.' }),
});
export type DataCentersQuery = z.output<typeof DataCentersQuery>;
