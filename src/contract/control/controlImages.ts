import * as z from 'zod';
import { DateTime, openEnum } from '../schema.ts';
import { START_PROBLEMS, type StartProblem } from '../startProblem.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* The engine of a local platform, its GPUs, and its images, in the control API. */

const StartProblemCode = openEnum(Object.keys(START_PROBLEMS) as [StartProblem, ...StartProblem[]]);

export const EngineInfo = z.looseObject({
  name: openEnum(['Docker', 'Podman', 'Kubernetes']).meta({
    description: 'Name of the engine. Empty if it is unknown, because the engine has never responded.',
  }),
  version: z.string().meta({ description: 'Version of the engine. Empty if the engine has not responded.' }),
  address: z.string().meta({ description: 'Address of the engine, without secrets.' }),
  source: z.string().meta({ description: 'Origin of the address, such as DOCKER_HOST or a Docker context.' }),
  reachable: z.boolean().meta({ description: 'true: the engine responds.' }),
  problem: z.string().optional().meta({ description: 'Reason why the engine does not respond. Omitted if it does.' }),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

export const HostGpu = z.looseObject({
  id: z.string().meta({ description: 'UUID of the GPU.' }),
  name: z.string().meta({ description: 'Name of the GPU.' }),
  memoryMb: z.int().optional().meta({ description: 'Memory in MB. Omitted if the driver does not know it.' }),
  inUse: z.boolean().meta({ description: 'true: a worker has the GPU.' }),
});
export type HostGpu = z.infer<typeof HostGpu>;

export const EngineState = z.looseObject({
  runtime: openEnum(['process', 'container', 'kubernetes']).meta({
    description: 'Runtime of images. process: the platform runs only process images.',
  }),
  engine: EngineInfo.nullable().meta({ description: 'Engine that runs the images. null: none.' }),
  gpus: z.array(HostGpu).default([]).meta({ description: 'GPUs of this machine that workers may use.' }),
});
export type EngineState = z.infer<typeof EngineState>;

export const PlatformImage = z.looseObject({
  id: z.string().meta({ description: 'ID of the image on the engine.' }),
  references: z.array(z.string()).meta({ description: 'Names of the image, with their tags or digests.' }),
  sizeBytes: z.number().meta({ description: 'Size on disk in bytes, including layers shared with other images.' }),
  createdAt: DateTime.meta({ description: 'Time of the build, as an RFC 3339 date-time.' }),
  inUse: z.boolean().meta({ description: 'true: a container or the newest release of an endpoint uses the image.' }),
  usedBy: z
    .array(
      z.looseObject({
        endpointId: z.string().meta({ description: 'ID of the endpoint.' }),
        name: z.string().meta({ description: 'Name of the endpoint.' }),
      }),
    )
    .meta({ description: 'Endpoints whose newest release runs the image.' }),
  removable: z.boolean().meta({
    description: 'true: this platform pulled the image, and nothing uses it. Other programs may still need the others.',
  }),
});
export type PlatformImage = z.infer<typeof PlatformImage>;

const PlatformImageList = z.looseObject({
  images: z.array(PlatformImage).meta({
    description:
      "Images on the engine that this platform pulled, or that its endpoints run. Other programs' images are omitted.",
  }),
});

export const PullImageBody = z.strictObject({
  image: z.string().min(1).max(1_000).meta({ description: 'Reference of the image, such as example/worker:1.' }),
  registryId: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "ID of the owner's registry credential for the pull. Default: no credential." }),
});
export type PullImageBody = z.infer<typeof PullImageBody>;

/** Event of a pull. `done` or `failed` is the last one. Closing the stream cancels the pull. */
export const PullEvent = z.looseObject({
  event: openEnum(['progress', 'done', 'failed']).meta({
    description: 'progress: the pull continues. done: the image is on the engine. failed: the pull has failed.',
  }),
  percent: z.number().min(0).max(100).optional().meta({
    description: 'Progress, 0 to 100. Omitted if the engine does not report sizes, and for other events.',
  }),
  digest: z.string().optional().meta({ description: 'Digest of the image. Set for done.' }),
  problem: StartProblemCode.optional().meta({ description: 'Class of the cause. Set for failed, if it is known.' }),
  reason: z
    .string()
    .optional()
    .meta({ description: "The cause with the engine's own words, and a remedy. Set for failed." }),
});
export type PullEvent = z.infer<typeof PullEvent>;

const Health = z.looseObject({
  status: z.literal('ok').meta({ description: 'ok: the platform accepts requests.' }),
});
type Health = z.infer<typeof Health>;

const engine = {
  address: 'baseUrl',
  errorFormat: 'problem',
  invalid: 422,
  tag: 'Engine',
} as const;

/** Operations of the control API for the engine that runs images, and for its images. */
export const controlImageOperations = {
  getEngine: operation({
    ...engine,
    method: 'GET',
    path: `${CONTROL_PATH}/engine`,
    summary: 'Get the engine that runs the images of endpoints, whether it responds, and the GPUs of this machine',
    success: { status: 200, body: EngineState },
    errors: [],
  }),
  listImages: operation({
    ...engine,
    method: 'GET',
    path: `${CONTROL_PATH}/images`,
    summary: 'List the images on the engine that this platform pulled or that its endpoints run, with their sizes',
    success: { status: 200, body: PlatformImageList },
    errors: [503],
  }),
  pullImage: operation({
    ...engine,
    method: 'POST',
    path: `${CONTROL_PATH}/images/pull`,
    summary: 'Pull an image, and report the progress as events; closing the stream cancels the pull',
    body: PullImageBody,
    success: { status: 200, body: PullEvent, events: true },
    errors: [404, 422],
  }),
  removeImage: operation({
    ...engine,
    method: 'DELETE',
    path: `${CONTROL_PATH}/images/{id}`,
    summary: 'Remove an image that this platform pulled from the engine',
    success: { status: 204 },
    errors: [404, 409, 503],
  }),
  getHealth: operation({
    ...engine,
    tag: 'Health',
    method: 'GET',
    path: `${CONTROL_PATH}/health`,
    summary: 'Check that the platform accepts requests; requires no key',
    success: { status: 200, body: Health },
    errors: [],
  }),
} as const;
