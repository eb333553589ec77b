import { MAX_PORT } from './bounds.ts';
import { whereReadable } from './brokenFields.ts';
import { parseArgs, sameCommand, type ContainerCommand } from './containerCommand.ts';
import type { CreateEndpointBody, Endpoint, UpdateEndpointBody } from './endpoint.ts';
import { WORKER_DEFAULTS, type CpuRequest, type Mounts } from './endpointSettings.ts';
import { isPython, type LocalSettings } from './localSettings.ts';
import { PROCESS_IMAGE_PREFIX } from './processImage.ts';
import { UnclosedQuoteError } from './shellWords.ts';
import { violation, type Path, type Violation } from './violation.ts';

/**
 * Input of the rules: a create body, or an endpoint after an update. Types are wide, because an endpoint of a newer service can hold
 * unknown values. Unknown values break no rule.
 */
export interface EndpointDraft {
  readonly type?: string | undefined;
  readonly scaling?: { readonly type?: string | undefined } | undefined;
  readonly workers?:
    | {
        readonly min?: number | undefined;
        readonly max?: number | undefined;
        readonly idleTimeout?: number | undefined;
      }
    | undefined;
  readonly image?: string | undefined;
  readonly templateId?: string | undefined;
  readonly args?: string | undefined;
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly gpu?:
    | {
        readonly minCudaVersion?: string | null | undefined;
        readonly allowedCudaVersions?: readonly string[] | undefined;
        readonly pools?: readonly string[] | undefined;
        readonly excludedTypes?: readonly string[] | undefined;
      }
    | undefined;
  readonly cpu?: readonly CpuRequest[] | undefined;
  readonly mounts?: Mounts | undefined;
  readonly networkVolumes?: readonly string[] | undefined;
  readonly 'x-local'?: LocalSettings | undefined;
}

/**
 * A rule of an endpoint that involves several fields. The editor and the local platform apply the same rules. `applyTemplate` merges
 * templates, and `parseArgs` handles cleared commands.
 */
export type EndpointRule = (draft: EndpointDraft) => Violation[];

/** Requires an image, unless a template supplies one. */
const imageOrTemplate: EndpointRule = ({ image, templateId }) =>
  image === undefined && templateId === undefined ? [violation(['image'], 'imageMissing', {})] : [];

/** Requires exactly one of `gpu` and `cpu`. */
const gpuOrCpu: EndpointRule = ({ gpu, cpu }) => {
  if (gpu && cpu) return [violation(['cpu'], 'gpuAndCpu', {})];
  return gpu || cpu ? [] : [violation(['gpu'], 'hardwareMissing', {})];
};

/** Rejects QUEUE_DELAY for an endpoint without a queue. */
const scalerFitsType: EndpointRule = ({ type, scaling }) =>
  type === 'LOAD_BALANCER' && scaling?.type === 'QUEUE_DELAY'
    ? [violation(['scaling', 'type'], 'scalerNeedsQueue', { scaler: scaling.type, instead: 'REQUEST_COUNT' })]
    : [];

/** Rejects `idleTimeout` for a queue that scales on request count, which ignores it. */
const idleTimeoutApplies: EndpointRule = ({ type, scaling, workers }) =>
  type === 'QUEUE' && scaling?.type === 'REQUEST_COUNT' && workers?.idleTimeout !== undefined
    ? [violation(['workers', 'idleTimeout'], 'idleTimeoutUnused', { type, scaler: scaling.type })]
    : [];

/** Rejects a minimum number of workers above the maximum. */
const minNotAboveMax: EndpointRule = ({ workers: { min, max } = {} }) =>
  min !== undefined && max !== undefined && min > max
    ? [violation(['workers', 'min'], 'minAboveMax', { min, max, maxIsDefault: false })]
    : [];

/** Rejects a minimum number of workers above the default maximum, which applies to a new endpoint without a maximum. */
const minNotAboveDefaultMax: EndpointRule = ({ workers: { min, max: own } = {} }) => {
  const { max } = WORKER_DEFAULTS;
  return min !== undefined && own === undefined && min > max
    ? [violation(['workers', 'min'], 'minAboveMax', { min, max, maxIsDefault: true })]
    : [];
};

/** Rejects both CUDA constraints together. An empty value clears a constraint, so it can accompany the other one. */
const oneCudaConstraint: EndpointRule = ({ gpu: { minCudaVersion, allowedCudaVersions = [] } = {} }) =>
  minCudaVersion && allowedCudaVersions.length > 0
    ? [
        violation(['gpu', 'minCudaVersion'], 'cudaConstraintsConflict', {
          given: { minCudaVersion, allowedCudaVersions },
        }),
      ]
    : [];

/** Rejects a flavor that appears twice with the same vCPU count. */
const cpuWithoutDuplicates: EndpointRule = ({ cpu = [] }) => {
  const seen = new Map<string, number>();
  return cpu.flatMap(({ id, vcpuCount }, index) => {
    const entry = JSON.stringify([id, vcpuCount]);
    const first = seen.get(entry);
    if (first !== undefined) return [violation(['cpu', index], 'repeatedCpu', { id, vcpuCount, first })];
    seen.set(entry, index);
    return [];
  });
};

/** Requires `args` to be valid, and to match `entrypoint` and `cmd` if they are set. The empty string clears `args`. */
export const oneCommand: EndpointRule = ({ args, entrypoint, cmd }) => {
  if (args === undefined || args === '') return [];
  let fromArgs: ContainerCommand;
  try {
    fromArgs = parseArgs(args);
  } catch (error) {
    const data = error instanceof UnclosedQuoteError ? { unclosed: error.quote } : {};
    return [violation(['args'], 'argsUnreadable', data)];
  }
  const agrees = sameCommand(fromArgs, { entrypoint: entrypoint ?? fromArgs.entrypoint, cmd: cmd ?? fromArgs.cmd });
  if (agrees) return [];
  const given = [...(entrypoint ? (['entrypoint'] as const) : []), ...(cmd ? (['cmd'] as const) : [])];
  return [violation(['args'], 'argsConflict', { given })];
};

/** Rejects a preload for workers that are not processes of Python. A command that cannot be read has a violation of its own. */
export const preloadFitsProgram: EndpointRule = ({ 'x-local': local, image, args = '', entrypoint, cmd }) => {
  if (local?.preload === undefined) return [];
  const found = [violation(['x-local', 'preload'], 'preloadNeedsPython', {})];
  if (image?.startsWith(PROCESS_IMAGE_PREFIX) !== true) return found;
  try {
    const parsed = parseArgs(args);
    const [program = ''] = [...(entrypoint ?? parsed.entrypoint ?? []), ...(cmd ?? parsed.cmd ?? [])];
    return isPython(program) ? [] : found;
  } catch {
    return [];
  }
};

/**
 * Rejects network volumes together with global ones, more than one global volume, a global volume without GPUs, and `networkVolumes`
 * that differ from `mounts`.
 */
const mountsAgree: EndpointRule = ({ mounts, networkVolumes, gpu }) => {
  const { network, global = [] } = mounts ?? {};
  const violations: Violation[] = [];
  if (network?.length && global.length) violations.push(violation(['mounts', 'global'], 'networkAndGlobalMounts', {}));
  if (global.length > 1) {
    const mounted = global.map(({ volumeId }) => volumeId);
    violations.push(violation(['mounts', 'global', 1], 'secondGlobalVolume', { mounted }));
  }
  if (global.length && !gpu) violations.push(violation(['mounts', 'global'], 'globalVolumeWithoutGpu', {}));
  const named = network?.map(({ volumeId }) => volumeId);
  if (
    named &&
    networkVolumes &&
    (named.length !== networkVolumes.length || named.some((id, index) => id !== networkVolumes[index]))
  ) {
    const lists = { listed: networkVolumes, mounted: named };
    violations.push(violation(['networkVolumes'], 'networkVolumesWithMounts', lists));
  }
  if (global.length && networkVolumes?.length)
    violations.push(violation(['networkVolumes'], 'networkVolumesWithGlobalMount', {}));
  return violations;
};

/** Requires each volume to be mounted only once. */
const volumesWithoutDuplicates: EndpointRule = ({ mounts, networkVolumes = [] }) => {
  const repeated = (ids: readonly string[], pathOf: (index: number) => Path): Violation[] =>
    ids.flatMap((volumeId, index) => {
      const first = ids.indexOf(volumeId);
      return first < index ? [violation(pathOf(index), 'repeatedVolume', { volumeId, first })] : [];
    });
  const mountedTwice = (kind: 'network' | 'global'): Violation[] =>
    repeated(
      (mounts?.[kind] ?? []).map(({ volumeId }) => volumeId),
      (index) => ['mounts', kind, index, 'volumeId'],
    );
  return [
    ...mountedTwice('network'),
    ...mountedTwice('global'),
    ...repeated(networkVolumes, (index) => ['networkVolumes', index]),
  ];
};

/** Checks the ports and the health path in the environment of a load-balanced endpoint. */
const loadBalancerEnvironment: EndpointRule = ({ type, env = {} }) => {
  if (type !== 'LOAD_BALANCER') return [];
  const isPort = (text: string) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PORT;
  const ports = ['PORT', 'PORT_HEALTH'].flatMap((name) =>
    env[name] === undefined || isPort(env[name]) ? [] : [violation(['env', name], 'notAPort', { maximum: MAX_PORT })],
  );
  const path = env['HEALTH_CHECK_PATH'];
  return path === undefined || path.startsWith('/')
    ? ports
    : [...ports, violation(['env', 'HEALTH_CHECK_PATH'], 'relativeHealthPath', { value: path })];
};

const createRules: readonly EndpointRule[] = [
  imageOrTemplate,
  gpuOrCpu,
  scalerFitsType,
  idleTimeoutApplies,
  minNotAboveMax,
  minNotAboveDefaultMax,
  oneCudaConstraint,
  cpuWithoutDuplicates,
  oneCommand,
  preloadFitsProgram,
  mountsAgree,
  volumesWithoutDuplicates,
  loadBalancerEnvironment,
];

/** Returns the violations of a create body. Its fields match the schema, except for those marked by `withBrokenFields`. */
export function checkCreateEndpoint(body: CreateEndpointBody): Violation[] {
  return createRules.flatMap((rule) => whereReadable(() => rule(body)));
}

/** A rule that an update can break, with the fields of the update that can break it. */
interface ChangeRule {
  readonly rule: EndpointRule;
  readonly members: readonly Path[];
  /** Converts a violation that is reported at a changed field other than the rule's own. Default: no conversion. */
  readonly elsewhere?: (broken: Violation) => Violation;
}

/** Converts a violation of the minimum into one of the maximum, which is the changed field. */
function belowMin(broken: Violation): Violation {
  if (broken.code !== 'minAboveMax') return broken;
  const { min, max } = broken.data;
  return violation(broken.path, 'maxBelowMin', { min, max });
}

const VOLUME_MEMBERS = [['mounts', 'network'], ['mounts', 'global'], ['networkVolumes']];

const changeRules: readonly ChangeRule[] = [
  { rule: scalerFitsType, members: [['scaling']] },
  { rule: idleTimeoutApplies, members: [['workers', 'idleTimeout']] },
  {
    rule: minNotAboveMax,
    members: [
      ['workers', 'min'],
      ['workers', 'max'],
    ],
    elsewhere: belowMin,
  },
  {
    rule: oneCudaConstraint,
    members: [
      ['gpu', 'minCudaVersion'],
      ['gpu', 'allowedCudaVersions'],
    ],
  },
  { rule: cpuWithoutDuplicates, members: [['cpu']] },
  { rule: oneCommand, members: [['args'], ['cmd'], ['entrypoint']] },
  { rule: mountsAgree, members: VOLUME_MEMBERS },
  { rule: volumesWithoutDuplicates, members: VOLUME_MEMBERS },
  { rule: loadBalancerEnvironment, members: [['env']] },
];

/** Rejects a change between GPUs and CPUs, which an endpoint cannot make. */
function hardwareFamilyKept({ gpu, cpu }: UpdateEndpointBody, current: Endpoint): Violation[] {
  if (gpu && cpu) return [violation(['cpu'], 'gpuAndCpu', {})];
  if (gpu && current.cpu) return [violation(['gpu'], 'hardwareFamilyFixed', { family: 'CPU' })];
  if (cpu && current.gpu) return [violation(['cpu'], 'hardwareFamilyFixed', { family: 'GPU' })];
  return [];
}

/** Rejects exclusions without pools, because exclusions apply to the pools in the same body. */
function exclusionsNeedPools({ gpu }: UpdateEndpointBody): Violation[] {
  return gpu?.excludedTypes && !gpu.pools ? [violation(['gpu', 'excludedTypes'], 'exclusionsNeedPools', {}, 422)] : [];
}

/**
 * Returns the violations of an update that matches its schema. Values of the endpoint replace omitted fields. The update does not cause
 * a violation that involves only omitted fields, so such a violation is not reported.
 */
export function checkUpdateEndpoint(body: UpdateEndpointBody, current: Endpoint): Violation[] {
  const changed = changedEndpoint(body, current);
  const violations = changeRules.flatMap(({ rule, members, elsewhere }) => {
    const given = members.filter((path) => memberAt(body, path) !== undefined);
    const [first] = given;
    if (!first) return [];
    return rule(changed).map((broken) =>
      given.some((path) => path.every((segment, index) => broken.path[index] === segment))
        ? broken
        : { ...(elsewhere?.(broken) ?? broken), path: first },
    );
  });
  return [
    ...hardwareFamilyKept(body, current),
    ...exclusionsNeedPools(body),
    ...preloadKept(body, current),
    ...violations,
  ];
}

/** Applies the rule of a preload if the update changes the preload or the program. Unlike that of `oneCommand`, the command can be the current one. */
function preloadKept(body: UpdateEndpointBody, current: Endpoint): Violation[] {
  const members = ['x-local', 'image', 'args', 'entrypoint', 'cmd'] as const;
  const changed = members.find((name) => body[name] !== undefined);
  if (changed === undefined) return [];
  const { args, entrypoint, cmd } = [body.args, body.entrypoint, body.cmd].some((part) => part !== undefined)
    ? body
    : current;
  const local = body['x-local'] ?? current['x-local'];
  const broken = preloadFitsProgram({ 'x-local': local, image: body.image ?? current.image, args, entrypoint, cmd });
  return body['x-local'] === undefined ? broken.map((found) => ({ ...found, path: [changed] })) : broken;
}

/** Returns the endpoint after the update. Its command comes from the body only, because the body replaces all parts of a command. */
function changedEndpoint(body: UpdateEndpointBody, current: Endpoint): EndpointDraft {
  const { args, cmd, entrypoint, networkVolumes } = body;
  const named = networkVolumes?.map((volumeId) => ({ volumeId, path: '/' }));
  return {
    type: current.type,
    scaling: body.scaling ?? current.scaling,
    workers: { ...current.workers, ...body.workers },
    args,
    cmd,
    entrypoint,
    env: body.env ?? current.env,
    gpu: current.cpu ? undefined : { ...current.gpu, ...body.gpu },
    cpu: body.cpu ?? current.cpu,
    mounts: {
      network: body.mounts?.network ?? named ?? mounted(current.mounts?.network),
      global: body.mounts?.global ?? mounted(current.mounts?.global),
    },
    // Without mounts, the deprecated list defines the mounts. With mounts, both lists must agree.
    networkVolumes: body.mounts?.network && networkVolumes,
  };
}

/** Adds a path to mounts without one. Any path works, because the rules check only the volumes. */
function mounted(list: readonly { volumeId: string; path?: string | undefined }[] | undefined): Mounts['network'] {
  return list?.map(({ volumeId, path = '/' }) => ({ volumeId, path }));
}

function memberAt(body: object, path: Path): unknown {
  return path.reduce<unknown>((value, segment) => (value as Record<string, unknown> | undefined)?.[segment], body);
}
