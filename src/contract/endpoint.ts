import * as z from 'zod';
import { LocalSettings } from './localSettings.ts';
import {
  MAX_CUDA_LENGTH,
  MAX_GPU_COUNT,
  MAX_INTEGER,
  MAX_LISTED,
  MAX_QUEUE_DELAY_S,
  MAX_REQUEST_COUNT,
  MAX_VCPUS,
  MAX_WORKERS,
} from './bounds.ts';
import { commandFields, containerFields } from './container.ts';
import { Environment } from './environment.ts';
import { fieldFacts } from './fieldFacts.ts';
import { paginated } from './pagination.ts';
import { DateTime, allDifferent, CudaVersion, openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Serverless endpoints: create body, update body, and returned object. */

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

const NETWORK_VOLUME = { volumeId: 'agv6w2qcg7', path: '/data' };
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

const Name = z
  .string()
  .min(1)
  .meta({ description: 'Display name. Several endpoints can have the same name.', examples: ['hello'] });
const CpuList = z.array(CpuRequest).min(1).max(MAX_LISTED);

/** Fields that the create body and the update body share. */
const settingFields = {
  ...containerFields,
  ...commandFields,
  args: containerFields.args.meta({
    description:
      'Command of the container as one string: shell words for CMD, or a JSON object {"entrypoint": […], "cmd": […]}. "" clears it. ' +
      'With entrypoint or cmd, it must be the same command. Default: the command of the image.',
  }),
  env: containerFields.env.meta({
    description:
      'Environment variables of the workers. For LOAD_BALANCER endpoints, PORT and PORT_HEALTH are ports, and HEALTH_CHECK_PATH ' +
      'starts with /. Default: none.',
  }),
  dataCenterIds: z
    .array(z.string().register(fieldFacts, { refersTo: 'dataCenter' }))
    .max(MAX_LISTED)
    .optional()
    .meta({
      description: 'IDs of preferred data centers. [] lets the platform choose. Default: [].',
      examples: [['EU-RO-1']],
    }),
  flashboot: Flashboot.optional(),
  networkVolumes: z
    .array(z.string().register(fieldFacts, { refersTo: 'networkVolume' }))
    .max(MAX_LISTED)
    .optional()
    .meta({
      description: 'IDs of network volumes. Use mounts.network instead. Default: none.',
      deprecated: true,
      examples: [[NETWORK_VOLUME.volumeId]],
    }),
  mounts: Mounts.optional(),
  timeout: z
    .int()
    .min(1)
    .max(MAX_INTEGER)
    .optional()
    .meta({
      description: `Maximum execution time of a request, in milliseconds. Default: ${DEFAULT_TIMEOUT_MS}.`,
      default: DEFAULT_TIMEOUT_MS,
      examples: [600_000],
    })
    .register(fieldFacts, { unit: 'ms', costs: true }),
  workers: WorkerSettings.optional(),
};

export const CreateEndpointBody = z.strictObject({
  name: Name,
  type: EndpointType,
  scaling: Scaling,
  ...settingFields,
  image: settingFields.image.meta({
    description: 'Reference of the container image. Required unless templateId is set.',
  }),
  gpu: GpuRequest.optional(),
  cpu: CpuList.optional().meta({
    description:
      'CPU configurations that a worker can have. A flavor can appear once with each vcpuCount. Set exactly one of gpu and cpu.',
    examples: [[{ id: 'cpu3c', vcpuCount: 2 }]],
    uniqueItems: true,
  }),
  templateId: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'ID of a serverless template that supplies image, args, disk, ports, env, and registry. ' +
        'Fields set here take precedence, and env is merged. Default: no template.',
      examples: ['xkhgg72fuo'],
    })
    .register(fieldFacts, { refersTo: 'template' }),
  'x-local': LocalSettings.optional(),
});
export type CreateEndpointBody = z.infer<typeof CreateEndpointBody>;

/**
 * Changes of an endpoint. Omitted fields keep their values. `type` and the kind of hardware cannot be changed. `env`, `cpu`, and each
 * list are replaced as a whole.
 */
export const UpdateEndpointBody = z
  .strictObject({
    name: Name.optional(),
    scaling: Scaling.optional(),
    ...settingFields,
    gpu: GpuChange.optional(),
    cpu: CpuList.optional().meta({
      description: 'Replaces the whole list. For CPU endpoints only.',
      uniqueItems: true,
    }),
    templateId: z.string().optional().meta({ description: 'ID of a template whose settings are copied once.' }),
    'x-local': LocalSettings.optional().meta({ description: 'Replaces all settings for the local platform.' }),
  })
  .meta({ description: 'Omitted fields keep their values. The defaults of fields apply only to new endpoints.' });
export type UpdateEndpointBody = z.infer<typeof UpdateEndpointBody>;

/** @param call purpose of a URL */
const urlTo = (call: string) => z.string().meta({ description: `URL to ${call}.` });

/** URLs of a queue-based endpoint. URLs of a job contain the literal text `{job_id}`. */
export const QueueRequestUrls = z.looseObject({
  run: urlTo('submit a job'),
  runSync: urlTo('submit a job and wait for its result'),
  status: urlTo('get the state of a job, with the placeholder {job_id}'),
  stream: urlTo('get the output chunks of a job, with the placeholder {job_id}'),
  cancel: urlTo('cancel a job, with the placeholder {job_id}'),
  retry: urlTo('submit a failed job again, with the placeholder {job_id}'),
  purgeQueue: urlTo('remove all waiting jobs'),
  health: urlTo('get the numbers of jobs and workers'),
});
export const LoadBalancerRequestUrls = z.looseObject({
  base: z.string().meta({ description: "Base URL of the worker's routes." }),
  health: urlTo('check the health of a worker'),
});

const MountedVolume = z.looseObject({
  volumeId: z.string().meta({ description: 'ID of the volume.' }),
  path: z.string().optional().meta({ description: 'Absolute path at which workers mount the volume.' }),
});

export const Endpoint = z.looseObject({
  'x-local': LocalSettings.optional().meta({
    description: 'Settings for the local platform, which alone has this field.',
  }),
  id: z.string().meta({ description: 'ID of the endpoint.' }),
  name: z.string().meta({ description: 'Display name.' }),
  type: openEnum(['QUEUE', 'LOAD_BALANCER']).optional().meta({
    description: 'How requests reach the workers: through a durable queue, or directly as HTTP requests.',
  }),
  workers: z
    .looseObject({
      min: z.number().meta({ description: 'Minimum number of workers.' }),
      max: z.number().meta({ description: 'Maximum number of workers. 0: the endpoint is paused.' }),
      idleTimeout: z.number().optional().meta({ description: 'Time before an idle worker stops, in seconds.' }),
    })
    .meta({ description: 'Bounds of the number of workers.' }),
  scaling: z
    .looseObject({
      type: openEnum(['QUEUE_DELAY', 'REQUEST_COUNT'])
        .optional()
        .meta({ description: 'Quantity that the rule measures.' }),
      queueDelay: z
        .number()
        .optional()
        .meta({ description: 'Time that a job can wait before a worker is added, in seconds. For QUEUE_DELAY.' }),
      requestCount: z
        .number()
        .optional()
        .meta({ description: 'Target number of requests per worker. For REQUEST_COUNT.' }),
    })
    .meta({ description: 'Rule that decides when workers are added and removed.' }),
  dataCenterIds: z.array(z.string()).meta({ description: 'IDs of preferred data centers. []: the platform chooses.' }),
  networkVolumes: z
    .array(z.string())
    .meta({ deprecated: true, description: 'IDs of network volumes. Use mounts.network instead.' }),
  mounts: z
    .looseObject({
      network: z.array(MountedVolume).optional().meta({ description: 'Network volumes.' }),
      global: z.array(MountedVolume).optional().meta({ description: 'Global volumes.' }),
    })
    .optional()
    .meta({ description: 'Volumes of every worker. Older services omit them.' }),
  timeout: z.number().meta({ description: 'Maximum execution time of a request, in milliseconds.' }),
  flashboot: openEnum(['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']).meta({ description: 'Cold-start acceleration.' }),
  createdAt: DateTime.meta({ description: 'Time of creation, as an RFC 3339 date-time.' }),
  requestUrls: z
    .union([QueueRequestUrls, LoadBalancerRequestUrls])
    .optional()
    .meta({ description: 'URLs that call the endpoint. They depend on its type.' }),
  gpu: z
    .looseObject({
      pools: z.array(z.string()).meta({ description: 'IDs of GPU pools, in order of preference.' }),
      allowedCudaVersions: z
        .array(z.string())
        .optional()
        .meta({ description: 'CUDA versions of the hosts on which workers can run. Omitted: any version.' }),
      minCudaVersion: z
        .string()
        .nullable()
        .optional()
        .meta({ description: 'Lowest CUDA version of the hosts. null or omitted: any version.' }),
      excludedTypes: z
        .array(z.string())
        .optional()
        .meta({ description: 'IDs of GPU types in these pools that workers do not use.' }),
      count: z.number().optional().meta({ description: 'GPUs per worker.' }),
    })
    .nullable()
    .optional()
    .meta({ description: 'GPUs of each worker. null or omitted for CPU endpoints.' }),
  cpu: z
    .array(
      z.looseObject({
        id: z.string().meta({ description: 'ID of the CPU flavor.' }),
        vcpuCount: z.number().meta({ description: 'vCPUs per worker.' }),
        memory: z.number().optional().meta({ description: 'Memory per worker, in GB.' }),
      }),
    )
    .min(1)
    .optional()
    .meta({ description: 'CPU configurations of the workers. Omitted for GPU endpoints.' }),
  image: z.string().optional().meta({ description: 'Reference of the container image.' }),
  args: z.string().optional().meta({ description: 'Command of the container as one string.' }),
  cmd: z.array(z.string()).optional().meta({ description: 'CMD of the container in exec form.' }),
  entrypoint: z.array(z.string()).optional().meta({ description: 'ENTRYPOINT of the container in exec form.' }),
  disk: z.number().optional().meta({ description: 'Size of the container disk in GB.' }),
  env: Environment.optional().meta({ description: 'Environment variables of the workers.' }),
  ports: z.array(z.string()).optional().meta({ description: 'Exposed ports, each as port/protocol.' }),
  registry: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'ID of the container registry credential. null or omitted: no credential.' }),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointList = z.looseObject({
  endpoints: z.array(Endpoint).meta({ description: 'Endpoints of the account.' }),
  ...paginated,
});
export type EndpointList = z.infer<typeof EndpointList>;
