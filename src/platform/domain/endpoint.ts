import type * as z from 'zod';
import { parseArgs } from '../../contract/containerCommand.ts';
import {
  DEFAULT_TIMEOUT_MS,
  WORKER_DEFAULTS,
  CreateEndpointBody,
  type Mounts,
  type Scaling,
} from '../../contract/endpoint.ts';
import { checkCreateEndpoint } from '../../contract/endpointRules.ts';
import { checkHardware } from '../../contract/hardwareRules.ts';
import type { LocalSettings } from '../../contract/localSettings.ts';
import { checkReferences, checkTemplate, type Exists } from '../../contract/referenceRules.ts';
import { applyTemplate, type Template } from '../../contract/template.ts';
import { checkShape } from '../../contract/shapeCheck.ts';
import { fieldError, formatViolation, type Violation } from '../../contract/violation.ts';
import { HARDWARE_CATALOG } from './hardwareCatalog.ts';
import { checkProcessImage } from './processImage.ts';
import { Refusal, refuseViolations } from './refusal.ts';

/** An endpoint in the store: every default is resolved and the template is applied. Times are milliseconds since the epoch. */
export interface EndpointRecord {
  readonly id: string;
  /** Account that owns the endpoint. */
  readonly accountId: string;
  readonly name: string;
  readonly type: 'QUEUE' | 'LOAD_BALANCER';
  /** Version of the configuration, starting at 1. Every change increments it. */
  readonly version: number;
  readonly createdAt: number;
  readonly image: string;
  readonly args?: string | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly cmd?: readonly string[] | undefined;
  readonly disk?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly ports?: readonly string[] | undefined;
  readonly registry?: string | null | undefined;
  /** Template that the endpoint was created from. Later changes to the template do not affect the endpoint. */
  readonly templateId?: string | undefined;
  /** Settings for the local platform. */
  readonly local?: LocalSettings | undefined;
  readonly gpu?: CreateEndpointBody['gpu'];
  readonly cpu?: CreateEndpointBody['cpu'];
  readonly dataCenterIds: readonly string[];
  readonly flashboot: 'OFF' | 'FLASHBOOT' | 'PRIORITY_FLASHBOOT';
  readonly networkVolumes: readonly string[];
  readonly mounts: Mounts;
  /** Execution timeout of a job in ms. */
  readonly timeout: number;
  readonly scaling: Scaling;
  /** `idleTimeout` in seconds. */
  readonly workers: { readonly min: number; readonly max: number; readonly idleTimeout: number };
}

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

/** An empty list clears the value, which on create is the same as omitting it. */
function nonEmpty(words: readonly string[] | undefined): readonly string[] | undefined {
  return words?.length ? words : undefined;
}
