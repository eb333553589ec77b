import * as z from 'zod';
import { LocalSettings } from './localSettings.ts';
import { MAX_INTEGER, MAX_LISTED } from './bounds.ts';
import { commandFields, containerFields } from './container.ts';
import {
  CpuRequest,
  DEFAULT_TIMEOUT_MS,
  EndpointType,
  Flashboot,
  GpuChange,
  GpuRequest,
  Mounts,
  NETWORK_VOLUME,
  Scaling,
  WorkerSettings,
} from './endpointSettings.ts';
import { Environment } from './environment.ts';
import { fieldFacts } from './fieldFacts.ts';
import { paginated } from './pagination.ts';
import { DateTime, openEnum } from './schema.ts';

/* Serverless endpoints: create body, update body, and returned object. */

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
