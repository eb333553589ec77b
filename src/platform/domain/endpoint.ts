import * as z from 'zod';
import { MAX_INTEGER, MAX_WORKERS } from '../../contract/bounds.ts';
import { parseArgs } from '../../contract/containerCommand.ts';
import { ResourceId } from '../../contract/control/resourceId.ts';
import { CreateEndpointBody } from '../../contract/endpoint.ts';
import {
  CpuRequest,
  DEFAULT_TIMEOUT_MS,
  GpuRequest,
  Mounts,
  WORKER_DEFAULTS,
} from '../../contract/endpointSettings.ts';
import { checkCreateEndpoint } from '../../contract/endpointRules.ts';
import { checkHardware } from '../../contract/hardwareRules.ts';
import { LocalSettings } from '../../contract/localSettings.ts';
import { checkReferences, checkTemplate, type Exists } from '../../contract/referenceRules.ts';
import { applyTemplate, type Template } from '../../contract/template.ts';
import { checkShape } from '../../contract/shapeCheck.ts';
import { fieldError, formatViolation, type Violation } from '../../contract/violation.ts';
import { HARDWARE_CATALOG } from './hardwareCatalog.ts';
import { checkProcessImage } from './processImage.ts';
import { AccountId, AtLeastOne, Count, Gigabytes, MAX_ITEMS, Moment, Units, VolumeId } from './recordFields.ts';
import { Refusal, refuseViolations } from './refusal.ts';

const settings = CreateEndpointBody.shape;

/** An endpoint in the store: every default is resolved and the template is applied. */
export const EndpointRecord = z.object({
  id: ResourceId,
  /** Account that owns the endpoint. */
  accountId: AccountId,
  name: settings.name,
  type: settings.type,
  /** Version of the configuration, starting at 1. Every change increments it. */
  version: AtLeastOne,
  createdAt: Moment,
  image: settings.image.unwrap(),
  args: settings.args,
  entrypoint: settings.entrypoint,
  cmd: settings.cmd,
  disk: Gigabytes.optional(),
  env: settings.env.unwrap(),
  ports: settings.ports,
  registry: settings.registry,
  /** Template that the endpoint was created from. Later changes to the template do not affect the endpoint. */
  templateId: ResourceId.optional(),
  local: LocalSettings.optional(),
  gpu: GpuRequest.extend({ count: Units.optional() }).optional(),
  cpu: z
    .array(CpuRequest.extend({ vcpuCount: Units }))
    .max(MAX_ITEMS)
    .optional(),
  dataCenterIds: settings.dataCenterIds.unwrap(),
  flashboot: settings.flashboot.unwrap(),
  networkVolumes: z.array(VolumeId).max(MAX_ITEMS),
  mounts: Mounts.superRefine(({ network = [], global = [] }, context) => {
    for (const { volumeId } of [...network, ...global]) {
      if (!VolumeId.safeParse(volumeId).success) context.addIssue('contains an invalid volume ID');
    }
  }),
  /** Execution timeout of a job in ms. */
  timeout: AtLeastOne,
  scaling: z.discriminatedUnion('type', [
    z.object({ type: z.literal('QUEUE_DELAY'), queueDelay: z.number().gt(0).max(MAX_INTEGER) }),
    z.object({ type: z.literal('REQUEST_COUNT'), requestCount: AtLeastOne }),
  ]),
  /** `idleTimeout` in seconds. */
  workers: z.object({ min: z.int().min(0).max(MAX_WORKERS), max: Count, idleTimeout: Count }),
});
export type EndpointRecord = Readonly<z.infer<typeof EndpointRecord>>;

export type FindTemplate = (id: string) => Template | undefined;

/** Lookups for the IDs in an endpoint. */
export interface EndpointReferences {
  readonly findTemplate: FindTemplate;
  readonly exists: Exists;
  /** True if the account may run programs on this machine. */
  readonly mayRunProcesses: boolean;
}

/**
 * Creates an endpoint from a request body. Applies the template and resolves all defaults.
 *
 * @throws Refusal 400 with every broken rule; 403 for a forbidden process image; 404 for an unknown template; 422 for a template that is
 *   not serverless
 */
export function createEndpoint(
  requested: CreateEndpointBody,
  about: EndpointReferences & { id: string; accountId: string; now: number },
): EndpointRecord {
  const { id, accountId, now, findTemplate, exists, mayRunProcesses } = about;
  const body = withTemplate(requested, findTemplate);
  checkProcessImage(body.image, mayRunProcesses);
  const workers = {
    min: body.workers?.min ?? WORKER_DEFAULTS.min,
    max: body.workers?.max ?? WORKER_DEFAULTS.max,
    idleTimeout: body.workers?.idleTimeout ?? WORKER_DEFAULTS.idleTimeout,
  };
  const violations: Violation[] = [
    ...checkCreateEndpoint(body),
    ...checkHardware(body, HARDWARE_CATALOG),
    ...checkReferences(body, exists),
  ];
  if (violations.length > 0) throw refuseViolations(violations);
  if (body.image === undefined) {
    const missing = formatViolation(fieldError(['image'], 'imageMissingInTemplate', {}));
    throw new Refusal(400, 'neither the body nor its template names an image', [missing]);
  }

  const command = body.args === undefined ? {} : parseArgs(body.args);
  const network = body.mounts?.network ?? networkMounts(body.networkVolumes ?? []);
  return {
    id,
    accountId,
    name: body.name,
    type: body.type,
    version: 1,
    createdAt: now,
    image: body.image,
    args: body.args === '' ? undefined : body.args,
    entrypoint: nonEmpty(body.entrypoint ?? command.entrypoint),
    cmd: nonEmpty(body.cmd ?? command.cmd),
    disk: body.disk,
    env: body.env ?? {},
    ports: body.ports,
    registry: body.registry,
    templateId: body.templateId,
    local: body['x-local'],
    gpu: body.gpu,
    cpu: body.cpu,
    dataCenterIds: body.dataCenterIds ?? [],
    flashboot: body.flashboot ?? 'OFF',
    networkVolumes: network.map(({ volumeId }) => volumeId),
    mounts: { network, global: body.mounts?.global ?? [] },
    timeout: body.timeout ?? DEFAULT_TIMEOUT_MS,
    scaling: body.scaling,
    workers,
  };
}

/** Mount path of volumes in the deprecated `networkVolumes`. */
const VOLUME_PATH = '/runpod-volume';

/** Converts the deprecated list of volumes to mounts. */
export function networkMounts(volumeIds: readonly string[]): NonNullable<Mounts['network']> {
  return volumeIds.map((volumeId) => ({ volumeId, path: VOLUME_PATH }));
}

function withTemplate(body: CreateEndpointBody, findTemplate: FindTemplate): CreateEndpointBody {
  if (body.templateId === undefined) return body;
  return checkedShape(CreateEndpointBody, applyTemplate(body, serverlessTemplate(body.templateId, findTemplate)));
}

/** Validates the body after the template's values have been merged into it. @throws Refusal 400 with the invalid members */
export function checkedShape<Body>(schema: z.ZodType<Body>, body: Body): Body {
  const { violations } = checkShape(schema, body);
  if (violations.length > 0) throw refuseViolations(violations);
  return body;
}

/** @throws Refusal 404 for an unknown template, 422 for one that is not serverless */
export function serverlessTemplate(id: string, findTemplate: FindTemplate): Template {
  const template = findTemplate(id);
  const errors = checkTemplate(id, template).map(formatViolation);
  if (!template) throw new Refusal(404, `template '${id}' not found`, errors);
  if (errors.length > 0) throw new Refusal(422, `template '${id}' is not a serverless template`, errors);
  return template;
}

/** An empty list clears the value. On create, this is the same as omitting it. */
export function nonEmpty(words: readonly string[] | undefined): string[] | undefined {
  return words?.length ? [...words] : undefined;
}
