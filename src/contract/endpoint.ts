import * as z from 'zod';
import { DateTime, openEnum } from './schema.ts';

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
    queueDelay: z.number().min(0.5).meta({ description: 'Seconds a job may wait before a worker is added.' }),
  })
  .meta({ title: 'Scale on queue delay', description: 'Queue-based endpoints only.' });

const RequestCountScaling = z
  .strictObject({
    type: z.literal('REQUEST_COUNT'),
    requestCount: z
      .int()
      .min(1)
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
      .optional()
      .meta({ description: 'Workers that are always up, also when idle.', default: WORKER_DEFAULTS.min }),
    max: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Workers at the most. 0 pauses the endpoint.', default: WORKER_DEFAULTS.max }),
    idleTimeout: z.int().min(1).max(3600).optional().meta({
      description: 'Seconds an idle worker is kept. Does not apply to QUEUE endpoints that scale on REQUEST_COUNT.',
      default: WORKER_DEFAULTS.idleTimeout,
    }),
  })
  .meta({ description: 'How many workers, and how long an idle one is kept.' });

const CudaVersion = z.string().regex(/^\d+\.\d+$/, 'must be a CUDA version such as 12.4');

export const GpuRequest = z
  .strictObject({
    pools: z.array(z.string().min(1)).min(1).meta({ description: 'GPU pool ids, most wanted first, such as ADA_24.' }),
    excludedTypes: z
      .array(z.string().regex(/^\s*[^-\s]/, 'must be a GPU type id'))
      .refine(allDifferent, 'must not name a GPU type twice')
      .optional()
      .meta({ description: 'GPU type ids of these pools that must not be used.', uniqueItems: true }),
    count: z.int().min(1).optional().meta({ description: 'GPUs per worker.', default: 1 }),
    allowedCudaVersions: z
      .array(CudaVersion)
      .optional()
      .meta({ description: 'CUDA versions a host may have. Not together with minCudaVersion.' }),
    minCudaVersion: CudaVersion.optional().meta({
      description: 'Lowest CUDA version a host may have. Not together with allowedCudaVersions.',
    }),
  })
  .meta({ description: 'GPUs of each worker. Exactly one of gpu and cpu is given.' });

export const CpuRequest = z.strictObject({
  id: z.string().min(1).meta({ description: 'CPU flavor id, such as cpu3c.' }),
  vcpuCount: z
    .int()
    .min(2)
    .refine((count) => Number.isInteger(Math.log2(count)), 'must be a power of two')
    .meta({ description: 'vCPUs of a worker: 2, 4, 8, 16 …' }),
});
export type CpuRequest = z.infer<typeof CpuRequest>;

const VolumeMount = z.strictObject({
  volumeId: z.string().min(1),
  path: z.string().startsWith('/', 'must be an absolute path'),
});

export const Mounts = z
  .strictObject({
    network: z.array(VolumeMount).optional().meta({ description: 'Network volumes. Not together with global ones.' }),
    global: z.array(VolumeMount).optional().meta({ description: 'At most one global volume; GPU endpoints only.' }),
  })
  .meta({ description: 'Volumes of every worker. A list replaces the list of its kind, an empty list detaches it.' });
export type Mounts = z.infer<typeof Mounts>;

/** The container part, shared by the create body, the returned object and templates. */
const containerFields = {
  image: z.string().min(1).optional().meta({ description: 'Container image reference.' }),
  args: z.string().optional().meta({
    description:
      'The command as one string: shell words for CMD, or a JSON object {"entrypoint": […], "cmd": […]}. "" clears it.',
  }),
  cmd: z.array(z.string()).optional().meta({ description: 'Container CMD, exec form. [] clears it.' }),
  entrypoint: z.array(z.string()).optional().meta({ description: 'Container ENTRYPOINT, exec form. [] clears it.' }),
  disk: z.int().min(1).optional().meta({ description: 'Container disk in GB, wiped on restart.' }),
  env: z.record(z.string(), z.string()).optional().meta({ description: 'Environment variables of the workers.' }),
  ports: z
    .array(z.string().regex(/^\d{1,5}\/[a-z]+$/, 'must be port/protocol, such as 8000/http'))
    .optional()
    .meta({ description: 'Open ports, each port/protocol.' }),
  registry: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Id of the container registry credential for a private image.' }),
};

export const CreateEndpointBody = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name people see. Need not be unique.' }),
  type: EndpointType,
  scaling: Scaling,
  ...containerFields,
  gpu: GpuRequest.optional(),
  cpu: z
    .array(CpuRequest)
    .min(1)
    .optional()
    .meta({ description: 'CPU configurations a worker may have. Exactly one of gpu and cpu is given.' }),
  dataCenterIds: z
    .array(z.string())
    .optional()
    .meta({ description: 'Preferred data centers. Empty lets the scheduler choose.' }),
  flashboot: Flashboot.optional(),
  networkVolumes: z.array(z.string()).optional().meta({ description: 'Use mounts.network instead.', deprecated: true }),
  mounts: Mounts.optional(),
  templateId: z.string().min(1).optional().meta({
    description:
      'Serverless template that gives image, args, disk, ports, env and registry. What the body gives wins; env is merged.',
  }),
  timeout: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Execution timeout of a request in milliseconds.', default: DEFAULT_TIMEOUT_MS }),
  workers: WorkerSettings.optional(),
});
export type CreateEndpointBody = z.infer<typeof CreateEndpointBody>;

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
  env: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  registry: z.string().nullable().optional(),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointList = z.looseObject({ endpoints: z.array(Endpoint) });
export type EndpointList = z.infer<typeof EndpointList>;

function allDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
