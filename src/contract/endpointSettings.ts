import * as z from 'zod';
import {
  MAX_CUDA_LENGTH,
  MAX_GPU_COUNT,
  MAX_LISTED,
  MAX_QUEUE_DELAY_S,
  MAX_REQUEST_COUNT,
  MAX_VCPUS,
  MAX_WORKERS,
} from './bounds.ts';
import { fieldFacts } from './fieldFacts.ts';
import { allDifferent, CudaVersion } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Parts of the bodies that create and update a serverless endpoint. */

export const EndpointType = z.enum(['QUEUE', 'LOAD_BALANCER']).meta({
  description:
    'How requests reach the workers. QUEUE: jobs wait in a durable queue. LOAD_BALANCER: HTTP requests go directly to a worker. ' +
    'The type cannot be changed later.',
  examples: ['QUEUE'],
});
export type EndpointType = z.infer<typeof EndpointType>;

export const Flashboot = z.enum(['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']).meta({
  description:
    'Cold-start acceleration. OFF: disabled. FLASHBOOT: enabled. PRIORITY_FLASHBOOT: enabled, with priority capacity. Default: OFF.',
  examples: ['FLASHBOOT'],
  default: 'OFF',
});

const QueueDelayScaling = z
  .strictObject({
    type: z.literal('QUEUE_DELAY').meta({
      description: 'QUEUE_DELAY: a worker is added when a job has waited too long. For QUEUE endpoints only.',
      examples: ['QUEUE_DELAY'],
    }),
    queueDelay: z
      .number()
      .min(0.5)
      .max(MAX_QUEUE_DELAY_S)
      .meta({ description: 'Time in seconds that a job can wait before a worker is added.', examples: [4] })
      .register(fieldFacts, { unit: 's' }),
  })
  .meta({
    title: 'Scale on queue delay',
    description: 'Adds workers when jobs wait too long. For QUEUE endpoints only.',
  });

const RequestCountScaling = z
  .strictObject({
    type: z.literal('REQUEST_COUNT').meta({
      description: 'REQUEST_COUNT: the number of workers follows the number of requests.',
      examples: ['REQUEST_COUNT'],
    }),
    requestCount: z
      .int()
      .min(1)
      .max(MAX_REQUEST_COUNT)
      .meta({ description: 'Target number of requests per worker, waiting and running.', examples: [10] }),
  })
  .meta({ title: 'Scale on request count', description: 'Adds workers in proportion to the number of requests.' });

export const Scaling = z.discriminatedUnion('type', [QueueDelayScaling, RequestCountScaling]).meta({
  description: 'Rule that decides when workers are added and removed.',
  examples: [{ type: 'QUEUE_DELAY', queueDelay: 4 }],
});
export type Scaling = z.infer<typeof Scaling>;

/** Defaults of the service for fields of `workers` that a create body omits. */
export const WORKER_DEFAULTS = { min: 0, max: 3, idleTimeout: 10 } as const;

/** Execution timeout of a request if the create body has none, in ms. */
export const DEFAULT_TIMEOUT_MS = 300_000;

export const WorkerSettings = z
  .strictObject({
    min: z
      .int()
      .min(0)
      .max(MAX_WORKERS)
      .optional()
      .meta({
        description: `Minimum number of workers, at most max. They run even when idle. Default: ${WORKER_DEFAULTS.min}.`,
        default: WORKER_DEFAULTS.min,
        examples: [1],
      })
      .register(fieldFacts, { costs: true }),
    max: z
      .int()
      .min(0)
      .max(MAX_WORKERS)
      .optional()
      .meta({
        description: `Maximum number of workers. 0 pauses the endpoint. Default: ${WORKER_DEFAULTS.max}.`,
        default: WORKER_DEFAULTS.max,
        examples: [5],
      })
      .register(fieldFacts, { costs: true }),
    idleTimeout: z
      .int()
      .min(1)
      .max(3600)
      .optional()
      .meta({
        description:
          'Time in seconds before an idle worker stops. Not available for QUEUE endpoints that scale on REQUEST_COUNT. ' +
          `Default: ${WORKER_DEFAULTS.idleTimeout}.`,
        default: WORKER_DEFAULTS.idleTimeout,
        examples: [60],
      })
      .register(fieldFacts, { unit: 's', costs: true }),
  })
  .meta({
    description: 'Number of workers, and the time before an idle worker stops. Each field has its own default.',
    examples: [{ min: 0, max: 3, idleTimeout: 10 }],
  });

const GpuPools = z
  .array(z.string().min(1).register(fieldFacts, { refersTo: 'gpuPool' }))
  .min(1)
  .max(MAX_LISTED)
  .meta({ description: 'IDs of GPU pools, in order of preference.', examples: [['ADA_24', 'AMPERE_24']] });

/** Fields that `GpuRequest` and `GpuChange` share. */
const gpuFields = {
  excludedTypes: z
    .array(
      z
        .string()
        .regex(/^\s*[^-\s]/, 'must be a GPU type ID')
        .register(fieldFacts, { refersTo: 'gpuType' }),
    )
    .max(MAX_LISTED)
    .refine(allDifferent, schemaRule('repeatedGpuType', {}))
    .optional()
    .meta({
      description: 'IDs of GPU types in these pools that workers must not use. Default: none.',
      examples: [['NVIDIA L4']],
      uniqueItems: true,
    }),
  count: z
    .int()
    .min(1)
    .max(MAX_GPU_COUNT)
    .optional()
    .meta({ description: 'GPUs per worker. Default: 1.', default: 1, examples: [2] })
    .register(fieldFacts, { costs: true }),
  allowedCudaVersions: z
    .array(CudaVersion)
    .max(MAX_LISTED)
    .optional()
    .meta({
      description:
        'CUDA versions of the hosts on which workers can run. Cannot be combined with minCudaVersion. Default: any version.',
      examples: [['12.4', '12.6']],
    }),
};

export const GpuRequest = z
  .strictObject({
    pools: GpuPools,
    ...gpuFields,
    minCudaVersion: CudaVersion.optional().meta({
      description:
        'Lowest CUDA version of the hosts on which workers can run. Cannot be combined with allowedCudaVersions. Default: any version.',
      examples: ['12.4'],
    }),
  })
  .meta({
    description: 'GPUs of each worker. Set exactly one of gpu and cpu.',
    examples: [{ pools: ['ADA_24'], count: 1 }],
  });

/** GPUs in an update. Omitted fields keep their values. `pools` replaces both the pools and the exclusions. */
export const GpuChange = z
  .strictObject({
    pools: GpuPools.optional(),
    ...gpuFields,
    minCudaVersion: z
      .string()
      .regex(/^$|^\d+\.\d+$/, 'must be a CUDA version such as 12.4, or empty')
      .max(MAX_CUDA_LENGTH)
      .optional()
      .meta({ description: 'Lowest CUDA version of the hosts on which workers can run. "" clears it.' }),
  })
  .meta({ description: 'Changed GPU settings. For GPU endpoints only.' });

export const CpuRequest = z.strictObject({
  id: z
    .string()
    .min(1)
    .meta({ description: 'ID of a CPU flavor.', examples: ['cpu3c'] })
    .register(fieldFacts, { refersTo: 'cpuFlavor' }),
  vcpuCount: z
    .int()
    .min(2)
    .max(MAX_VCPUS)
    .refine((count) => Number.isInteger(Math.log2(count)), schemaRule('notAPowerOfTwo', {}))
    .meta({ description: 'vCPUs per worker, a power of two in the range of the flavor.', examples: [4] })
    .register(fieldFacts, { refersTo: 'vcpuCount', costs: true }),
});
export type CpuRequest = z.infer<typeof CpuRequest>;

/** @param exampleId ID of a volume of the kind */
const volumeMount = (kind: 'networkVolume' | 'globalVolume', exampleId: string) =>
  z.strictObject({
    volumeId: z
      .string()
      .min(1)
      .meta({ description: 'ID of the volume. Each volume can be mounted once.', examples: [exampleId] })
      .register(fieldFacts, { refersTo: kind }),
    path: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .meta({ description: 'Absolute path at which workers mount the volume.', examples: ['/data'] }),
  });

export const NETWORK_VOLUME = { volumeId: 'agv6w2qcg7', path: '/data' };
const GLOBAL_VOLUME = { volumeId: 'gsb_7h2kq9x4m1w8zc', path: '/data' };

export const Mounts = z
  .strictObject({
    network: z
      .array(volumeMount('networkVolume', NETWORK_VOLUME.volumeId))
      .max(MAX_LISTED)
      .optional()
      .meta({
        description: 'Network volumes. Cannot be combined with global volumes. Default: none.',
        examples: [[NETWORK_VOLUME]],
      }),
    global: z
      .array(volumeMount('globalVolume', GLOBAL_VOLUME.volumeId))
      .max(MAX_LISTED)
      .optional()
      .meta({
        description: 'Global volumes, at most one. For GPU endpoints only. Default: none.',
        examples: [[GLOBAL_VOLUME]],
      }),
  })
  .meta({
    description:
      'Volumes that every worker mounts. A list replaces the current list of its kind, and [] detaches those volumes. Default: none.',
    examples: [{ network: [NETWORK_VOLUME] }],
  });
export type Mounts = z.infer<typeof Mounts>;
