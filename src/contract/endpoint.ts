import * as z from 'zod';
import {
  MAX_CUDA_LENGTH,
  MAX_GPU_COUNT,
  MAX_JOB_LIFE_MS,
  MAX_LISTED,
  MAX_QUEUE_DELAY_S,
  MAX_REQUEST_COUNT,
  MAX_VCPUS,
  MAX_WORKERS,
} from './bounds.ts';
import { commandFields, containerFields } from './container.ts';
import { Environment } from './environment.ts';
import { paginated } from './pagination.ts';
import { DateTime } from './dateTime.ts';
import { allDifferent, CudaVersion, openEnum } from './schema.ts';
import { schemaRule } from './schemaRule.ts';

/* Serverless endpoint: create body and returned object (interface document, "Serverless endpoint"). */

export const EndpointType = z.enum(['QUEUE', 'LOAD_BALANCER']).meta({
  description:
    'How requests reach the workers. QUEUE: jobs wait in a durable queue. LOAD_BALANCER: HTTP requests go straight to a worker. It cannot be changed later.',
});
export type EndpointType = z.infer<typeof EndpointType>;

export const Flashboot = z.enum(['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']).meta({
  description: 'Cold-start acceleration: disabled, enabled, or enabled with priority capacity.',
  default: 'OFF',
});

const QueueDelayScaling = z
  .strictObject({
    type: z.literal('QUEUE_DELAY'),
    queueDelay: z
      .number()
      .min(0.5)
      .max(MAX_QUEUE_DELAY_S)
      .meta({ description: 'Seconds a job may wait before a worker is added.' }),
  })
  .meta({ title: 'Scale on queue delay', description: 'Queue-based endpoints only.' });

const RequestCountScaling = z
  .strictObject({
    type: z.literal('REQUEST_COUNT'),
    requestCount: z
      .int()
      .min(1)
      .max(MAX_REQUEST_COUNT)
      .meta({ description: 'Requests, waiting and running, that one worker is meant to carry.' }),
  })
  .meta({ title: 'Scale on request count' });

export const Scaling = z
  .discriminatedUnion('type', [QueueDelayScaling, RequestCountScaling])
  .meta({ description: 'When workers are added and removed.' });
export type Scaling = z.infer<typeof Scaling>;

/** What the service assumes for members of `workers` that a create body leaves out (facts, section 3). */
export const WORKER_DEFAULTS = { min: 0, max: 3, idleTimeout: 10 } as const;

/** Per-request execution timeout in milliseconds when a create body names none. */
export const DEFAULT_TIMEOUT_MS = 300_000;

export const WorkerSettings = z
  .strictObject({
    min: z
      .int()
      .min(0)
      .max(MAX_WORKERS)
      .optional()
      .meta({ description: 'Workers that are always up, also when idle.', default: WORKER_DEFAULTS.min }),
    max: z
      .int()
      .min(0)
      .max(MAX_WORKERS)
      .optional()
      .meta({ description: 'Workers at the most. 0 pauses the endpoint.', default: WORKER_DEFAULTS.max }),
    idleTimeout: z.int().min(1).max(3600).optional().meta({
      description: 'Seconds an idle worker is kept. Does not apply to QUEUE endpoints that scale on REQUEST_COUNT.',
      default: WORKER_DEFAULTS.idleTimeout,
    }),
  })
  .meta({ description: 'How many workers, and how long an idle one is kept.' });

const GpuPools = z
  .array(z.string().min(1))
  .min(1)
  .max(MAX_LISTED)
  .meta({ description: 'GPU pool ids, most wanted first, such as ADA_24.' });

/** What both ways of asking for GPUs share. */
const gpuFields = {
  excludedTypes: z
    .array(z.string().regex(/^\s*[^-\s]/, 'must be a GPU type id'))
    .max(MAX_LISTED)
    .refine(allDifferent, schemaRule('repeatedGpuType', {}))
    .optional()
    .meta({ description: 'GPU type ids of these pools that must not be used.', uniqueItems: true }),
  count: z.int().min(1).max(MAX_GPU_COUNT).optional().meta({ description: 'GPUs per worker.', default: 1 }),
  allowedCudaVersions: z
    .array(CudaVersion)
    .max(MAX_LISTED)
    .optional()
    .meta({ description: 'CUDA versions a host may have. Not together with minCudaVersion.' }),
};

export const GpuRequest = z
  .strictObject({
    pools: GpuPools,
    ...gpuFields,
    minCudaVersion: CudaVersion.optional().meta({
      description: 'Lowest CUDA version a host may have. Not together with allowedCudaVersions.',
    }),
  })
  .meta({ description: 'GPUs of each worker. Exactly one of gpu and cpu is given.' });

/** GPUs in a change: what is left out stays, `pools` replaces the selection together with its exclusions. */
export const GpuChange = z
  .strictObject({
    pools: GpuPools.optional(),
    ...gpuFields,
    minCudaVersion: z
      .string()
      .regex(/^$|^\d+\.\d+$/, 'must be a CUDA version such as 12.4, or empty')
      .max(MAX_CUDA_LENGTH)
      .optional()
      .meta({ description: 'Lowest CUDA version a host may have. "" clears it.' }),
  })
  .meta({ description: 'Changed GPUs of each worker; GPU endpoints only.' });

export const CpuRequest = z.strictObject({
  id: z.string().min(1).meta({ description: 'CPU flavor id, such as cpu3c.' }),
  vcpuCount: z
    .int()
    .min(2)
    .max(MAX_VCPUS)
    .refine((count) => Number.isInteger(Math.log2(count)), schemaRule('notAPowerOfTwo', {}))
    .meta({ description: 'vCPUs of a worker: 2, 4, 8, 16 …' }),
});
export type CpuRequest = z.infer<typeof CpuRequest>;

const VolumeMount = z.strictObject({
  volumeId: z.string().min(1),
  path: z.string().startsWith('/', 'must be an absolute path'),
});

export const Mounts = z
  .strictObject({
    network: z
      .array(VolumeMount)
      .max(MAX_LISTED)
      .optional()
      .meta({ description: 'Network volumes. Not together with global ones.' }),
    global: z
      .array(VolumeMount)
      .max(MAX_LISTED)
      .optional()
      .meta({ description: 'At most one global volume; GPU endpoints only.' }),
  })
  .meta({ description: 'Volumes of every worker. A list replaces the list of its kind, an empty list detaches it.' });
export type Mounts = z.infer<typeof Mounts>;

const Name = z.string().min(1).meta({ description: 'Name people see. Need not be unique.' });
const CpuList = z.array(CpuRequest).min(1).max(MAX_LISTED);

/** What the create body and the update body have in common. */
const settingFields = {
  ...containerFields,
  ...commandFields,
  dataCenterIds: z
    .array(z.string())
    .max(MAX_LISTED)
    .optional()
    .meta({ description: 'Preferred data centers. Empty lets the scheduler choose.' }),
  flashboot: Flashboot.optional(),
  networkVolumes: z
    .array(z.string())
    .max(MAX_LISTED)
    .optional()
    .meta({ description: 'Use mounts.network instead.', deprecated: true }),
  mounts: Mounts.optional(),
  timeout: z
    .int()
    .min(1)
    .max(MAX_JOB_LIFE_MS)
    .optional()
    .meta({ description: 'Execution timeout of a request in milliseconds.', default: DEFAULT_TIMEOUT_MS }),
  workers: WorkerSettings.optional(),
};

export const CreateEndpointBody = z.strictObject({
  name: Name,
  type: EndpointType,
  scaling: Scaling,
  ...settingFields,
  gpu: GpuRequest.optional(),
  cpu: CpuList.optional().meta({
    description: 'CPU configurations a worker may have. Exactly one of gpu and cpu is given.',
    uniqueItems: true,
  }),
  templateId: z.string().min(1).optional().meta({
    description:
      'Serverless template that gives image, args, disk, ports, env and registry. What the body gives wins; env is merged.',
  }),
});
export type CreateEndpointBody = z.infer<typeof CreateEndpointBody>;

/**
 * A change of an endpoint (facts, section 3, PATCH): what is left out stays as it is. `type` and the hardware family cannot be
 * changed. `env`, `cpu` and each list are replaced whole.
 */
export const UpdateEndpointBody = z.strictObject({
  name: Name.optional(),
  scaling: Scaling.optional(),
  ...settingFields,
  gpu: GpuChange.optional(),
  cpu: CpuList.optional().meta({ description: 'Replaces the whole list; CPU endpoints only.', uniqueItems: true }),
  templateId: z.string().optional().meta({ description: 'Template whose settings are taken over once.' }),
});
export type UpdateEndpointBody = z.infer<typeof UpdateEndpointBody>;

const uri = z.string();

/** Addresses of a queue-based endpoint; those of one job hold the literal text `{job_id}`. */
export const QueueRequestUrls = z.looseObject({
  run: uri,
  runSync: uri,
  status: uri,
  stream: uri,
  cancel: uri,
  retry: uri,
  purgeQueue: uri,
  health: uri,
});
export const LoadBalancerRequestUrls = z.looseObject({ base: uri, health: uri });

export const Endpoint = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: openEnum(['QUEUE', 'LOAD_BALANCER']).optional(),
  workers: z.looseObject({ min: z.number(), max: z.number(), idleTimeout: z.number().optional() }),
  scaling: z.looseObject({
    type: openEnum(['QUEUE_DELAY', 'REQUEST_COUNT']).optional(),
    queueDelay: z.number().optional(),
    requestCount: z.number().optional(),
  }),
  dataCenterIds: z.array(z.string()),
  networkVolumes: z.array(z.string()).meta({ deprecated: true }),
  mounts: z
    .looseObject({
      network: z.array(z.looseObject({ volumeId: z.string(), path: z.string().optional() })).optional(),
      global: z.array(z.looseObject({ volumeId: z.string(), path: z.string().optional() })).optional(),
    })
    .optional()
    .meta({ description: 'Always answered by a current service; older ones leave it out.' }),
  timeout: z.number(),
  flashboot: openEnum(['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT']),
  createdAt: DateTime,
  requestUrls: z.union([QueueRequestUrls, LoadBalancerRequestUrls]).optional(),
  gpu: z
    .looseObject({
      pools: z.array(z.string()),
      allowedCudaVersions: z.array(z.string()).optional(),
      minCudaVersion: z.string().nullable().optional(),
      excludedTypes: z.array(z.string()).optional(),
      count: z.number().optional(),
    })
    .nullable()
    .optional(),
  cpu: z
    .array(z.looseObject({ id: z.string(), vcpuCount: z.number(), memory: z.number().optional() }))
    .min(1)
    .optional(),
  image: z.string().optional(),
  args: z.string().optional(),
  cmd: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  disk: z.number().optional(),
  env: Environment.optional(),
  ports: z.array(z.string()).optional(),
  registry: z.string().nullable().optional(),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointList = z.looseObject({ endpoints: z.array(Endpoint), ...paginated });
export type EndpointList = z.infer<typeof EndpointList>;
