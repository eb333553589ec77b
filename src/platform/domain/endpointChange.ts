import { parseArgs } from '../../contract/containerCommand.ts';
import { UpdateEndpointBody, type Endpoint } from '../../contract/endpoint.ts';
import type { Mounts } from '../../contract/endpointSettings.ts';
import { checkUpdateEndpoint } from '../../contract/endpointRules.ts';
import { checkHardware } from '../../contract/hardwareRules.ts';
import type { ReleaseDiffEntry } from '../../contract/release.ts';
import { checkReferences } from '../../contract/referenceRules.ts';
import { applyTemplateContainer } from '../../contract/template.ts';
import {
  checkedShape,
  networkMounts,
  nonEmpty,
  serverlessTemplate,
  type EndpointRecord,
  type EndpointReferences,
} from './endpoint.ts';
import { HARDWARE_CATALOG } from './hardwareCatalog.ts';
import { checkProcessImage } from './processImage.ts';
import { refuseViolations } from './refusal.ts';
import { releaseDiff } from './release.ts';

export interface EndpointChange {
  /** The endpoint after the change, with a new version unless nothing changed. */
  readonly endpoint: EndpointRecord;
  readonly diff: readonly ReleaseDiffEntry[];
  /** True if the existing workers run an outdated configuration and must be replaced. */
  readonly replaceWorkers: boolean;
}

/**
 * Applies a change to an endpoint (PATCH): members that the body omits keep their values.
 *
 * @param current the endpoint as a response shows it, for the rules
 * @throws Refusal 400 or 422 with every broken rule; 403 for a forbidden process image; 404 for an unknown template; 422 for a template
 *   that is not serverless
 */
export function changeEndpoint(
  record: EndpointRecord,
  requested: UpdateEndpointBody,
  { current, findTemplate, exists, mayRunProcesses }: EndpointReferences & { current: Endpoint },
): EndpointChange {
  const { templateId } = requested;
  // The template's settings are copied once. Values in the body take precedence, as in a create.
  const body =
    templateId === undefined
      ? requested
      : checkedShape(
          UpdateEndpointBody,
          applyTemplateContainer(requested, serverlessTemplate(templateId, findTemplate)),
        );
  // An account may still pause an existing endpoint with a process image.
  const isPaused = (body.workers?.max ?? record.workers.max) === 0;
  checkProcessImage(isPaused ? body.image : (body.image ?? record.image), mayRunProcesses);
  const { gpu, cpu } = hardwareAfter(record, body);
  const violations = [
    // The environment to check is the template's, merged with the body's.
    ...checkUpdateEndpoint(templateId === undefined ? requested : { ...requested, env: body.env }, current),
    ...checkHardware(
      { ...(body.gpu || body.cpu ? { gpu, cpu } : {}), dataCenterIds: body.dataCenterIds },
      HARDWARE_CATALOG,
    ),
    ...checkReferences(requested, exists),
  ];
  if (violations.length > 0) throw refuseViolations(violations);
  const mounts = mountsAfter(record.mounts, body);
  const changed: EndpointRecord = {
    ...record,
    ...commandAfter(record, body),
    name: body.name ?? record.name,
    image: body.image ?? record.image,
    disk: body.disk ?? record.disk,
    env: body.env ?? record.env,
    ports: body.ports ?? record.ports,
    registry: body.registry === undefined ? record.registry : body.registry,
    templateId: templateId ?? record.templateId,
    local: body['x-local'] ?? record.local,
    gpu,
    cpu,
    dataCenterIds: body.dataCenterIds ?? record.dataCenterIds,
    flashboot: body.flashboot ?? record.flashboot,
    networkVolumes: (mounts.network ?? []).map(({ volumeId }) => volumeId),
    mounts,
    timeout: body.timeout ?? record.timeout,
    scaling: body.scaling ?? record.scaling,
    workers: {
      min: body.workers?.min ?? record.workers.min,
      max: body.workers?.max ?? record.workers.max,
      idleTimeout: body.workers?.idleTimeout ?? record.workers.idleTimeout,
    },
  };
  const { diff, replaceWorkers } = releaseDiff(record, changed);
  return { endpoint: diff.length > 0 ? { ...changed, version: record.version + 1 } : record, diff, replaceWorkers };
}

/**
 * Applies a change of the command. `args` is the whole command, and `entrypoint` and `cmd` are its parts. A list without `args` replaces
 * its part and clears `args`. Empty values clear.
 */
function commandAfter(
  record: EndpointRecord,
  { args, entrypoint, cmd }: UpdateEndpointBody,
): Pick<EndpointRecord, 'args' | 'entrypoint' | 'cmd'> {
  if (args !== undefined && args !== '') {
    const parsed = parseArgs(args);
    return { args, entrypoint: nonEmpty(parsed.entrypoint), cmd: nonEmpty(parsed.cmd) };
  }
  if (args === '') return { args: undefined, entrypoint: nonEmpty(entrypoint), cmd: nonEmpty(cmd) };
  if (entrypoint === undefined && cmd === undefined) {
    return { args: record.args, entrypoint: record.entrypoint, cmd: record.cmd };
  }
  return {
    args: undefined,
    entrypoint: entrypoint === undefined ? record.entrypoint : nonEmpty(entrypoint),
    cmd: cmd === undefined ? record.cmd : nonEmpty(cmd),
  };
}

/** `pools` replaces the selection and clears the old exclusions. An empty minimum CUDA version clears the minimum. */
function hardwareAfter(record: EndpointRecord, { gpu, cpu }: UpdateEndpointBody): Pick<EndpointRecord, 'gpu' | 'cpu'> {
  if (!record.gpu) return { cpu: cpu ?? record.cpu };
  if (!gpu) return { gpu: record.gpu };
  const pools = gpu.pools ?? record.gpu.pools;
  const excludedTypes = gpu.excludedTypes ?? (gpu.pools ? undefined : record.gpu.excludedTypes);
  const count = gpu.count ?? record.gpu.count;
  const allowedCudaVersions = gpu.allowedCudaVersions ?? record.gpu.allowedCudaVersions;
  const minCudaVersion = gpu.minCudaVersion ?? record.gpu.minCudaVersion;
  return {
    gpu: {
      pools,
      ...(excludedTypes && { excludedTypes }),
      ...(count && { count }),
      ...(allowedCudaVersions && { allowedCudaVersions }),
      ...(minCudaVersion && { minCudaVersion }),
    },
  };
}

/** A list in the body replaces the list of its kind. An omitted list keeps its value. */
function mountsAfter(current: Mounts, { mounts, networkVolumes }: UpdateEndpointBody): Mounts {
  return {
    network: mounts?.network ?? (networkVolumes ? networkMounts(networkVolumes) : current.network),
    global: mounts?.global ?? current.global,
  };
}
