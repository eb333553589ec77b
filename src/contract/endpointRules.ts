import { MAX_PORT } from './bounds.ts';
import { parseArgs, sameCommand } from './containerCommand.ts';
import type { CreateEndpointBody, CpuRequest, Endpoint, Mounts, UpdateEndpointBody } from './endpoint.ts';
import { UnclosedQuoteError } from './shellWords.ts';
import { brokenRule, violation, type BrokenRule, type Path, type Violation } from './violation.ts';

/**
 * What the rules look at: a create body, or an endpoint as a change would leave it. Types are wide, because an endpoint of a
 * newer service may hold values that we do not know; no rule is broken by those.
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
}

/**
 * The rules of an endpoint that no schema of one member can tell (interface document, "Serverless endpoint", rules 1 to 8). The
 * editor and the local platform call the same ones. Rule 7 (templates) and rule 4 (clearing) are not checks: see
 * `applyTemplate` and `parseArgs`.
 */
export type EndpointRule = (draft: EndpointDraft) => Violation[];

/** An image is needed unless a template brings one. */
export const imageOrTemplate: EndpointRule = ({ image, templateId }) =>
  image === undefined && templateId === undefined ? [violation(['image'], 'imageMissing', {})] : [];

/** Workers run on GPUs or on CPUs: exactly one is chosen. */
export const gpuOrCpu: EndpointRule = ({ gpu, cpu }) => {
  if (gpu && cpu) return [violation(['cpu'], 'gpuAndCpu', {})];
  return gpu || cpu ? [] : [violation(['gpu'], 'hardwareMissing', {})];
};

/** QUEUE_DELAY needs a queue. */
export const scalerFitsType: EndpointRule = ({ type, scaling }) =>
  type === 'LOAD_BALANCER' && scaling?.type === 'QUEUE_DELAY'
    ? [violation(['scaling', 'type'], 'scalerNeedsQueue', { scaler: scaling.type, instead: 'REQUEST_COUNT' })]
    : [];

/** `idleTimeout` does not apply to a queue that scales on request count. */
export const idleTimeoutApplies: EndpointRule = ({ type, scaling, workers }) =>
  type === 'QUEUE' && scaling?.type === 'REQUEST_COUNT' && workers?.idleTimeout !== undefined
    ? [violation(['workers', 'idleTimeout'], 'idleTimeoutUnused', { type, scaler: scaling.type })]
    : [];

export const minNotAboveMax: EndpointRule = ({ workers: { min, max } = {} }) =>
  min !== undefined && max !== undefined && min > max
    ? [violation(['workers', 'min'], 'minAboveMax', { min, max, maxIsDefault: false })]
    : [];

/** Rule 8. An explicit empty list may accompany the floor, and an empty floor the list: they clear. */
export const oneCudaConstraint: EndpointRule = ({ gpu: { minCudaVersion, allowedCudaVersions = [] } = {} }) =>
  minCudaVersion && allowedCudaVersions.length > 0
    ? [
        violation(['gpu', 'minCudaVersion'], 'cudaConstraintsConflict', {
          given: { minCudaVersion, allowedCudaVersions },
        }),
      ]
    : [];

/** The same flavor may appear at different vCPU counts, but not twice at one. */
export const cpuWithoutDuplicates: EndpointRule = ({ cpu = [] }) => {
  const seen = new Map<string, number>();
  return cpu.flatMap(({ id, vcpuCount }, index) => {
    const entry = JSON.stringify([id, vcpuCount]);
    const first = seen.get(entry);
    if (first !== undefined) return [violation(['cpu', index], 'repeatedCpu', { id, vcpuCount, first })];
    seen.set(entry, index);
    return [];
  });
};

/** Rules 1 and 3: `args` must parse, and must match `entrypoint` and `cmd` if given. An empty string clears it (rule 4). */
export const oneCommand: EndpointRule = ({ args, entrypoint, cmd }) => {
  if (args === undefined || args === '') return [];
  try {
    const fromArgs = parseArgs(args);
    const agrees = sameCommand(fromArgs, { entrypoint: entrypoint ?? fromArgs.entrypoint, cmd: cmd ?? fromArgs.cmd });
    if (agrees) return [];
    const given = [...(entrypoint ? (['entrypoint'] as const) : []), ...(cmd ? (['cmd'] as const) : [])];
    return [violation(['args'], 'argsConflict', { given })];
  } catch (error) {
    const problem = error instanceof UnclosedQuoteError ? 'quotation' : 'object';
    return [violation(['args'], 'argsUnreadable', { problem, told: (error as Error).message })];
  }
};

/** Rule 6: one kind of volume at a time, one global volume at most, for GPU endpoints, in agreement with `networkVolumes`. */
export const mountsAgree: EndpointRule = ({ mounts, networkVolumes, gpu }) => {
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
export const volumesWithoutDuplicates: EndpointRule = ({ mounts, networkVolumes = [] }) => {
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

/** Rule 5: the environment of a load-balanced endpoint names ports and a path. */
export const loadBalancerEnvironment: EndpointRule = ({ type, env = {} }) => {
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
  oneCudaConstraint,
  cpuWithoutDuplicates,
  oneCommand,
  mountsAgree,
  volumesWithoutDuplicates,
  loadBalancerEnvironment,
];

/** Every broken rule of a create body that already has the right shape. */
export function checkCreateEndpoint(body: CreateEndpointBody): Violation[] {
  return createRules.flatMap((rule) => rule(body));
}

/** A rule of the endpoint that a change may break, and the members of the body that can break it. */
interface ChangeRule {
  readonly rule: EndpointRule;
  readonly members: readonly Path[];
  /** The rule as it reads at the changed member, where that is not the one that the rule points at. Left out: as it is. */
  readonly elsewhere?: (rule: BrokenRule) => BrokenRule;
}

/** The maximum was changed, not the minimum that the rule points at. */
function belowMin(rule: BrokenRule): BrokenRule {
  return rule.code === 'minAboveMax' ? brokenRule('maxBelowMin', { min: rule.data.min, max: rule.data.max }) : rule;
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

/** Workers stay on GPUs or on CPUs for the life of an endpoint. */
export function hardwareFamilyKept({ gpu, cpu }: UpdateEndpointBody, current: Endpoint): Violation[] {
  if (gpu && cpu) return [violation(['cpu'], 'gpuAndCpu', {})];
  if (gpu && current.cpu) return [violation(['gpu'], 'hardwareFamilyFixed', { family: 'CPU' })];
  if (cpu && current.gpu) return [violation(['cpu'], 'hardwareFamilyFixed', { family: 'GPU' })];
  return [];
}

/** Exclusions are of the pools they are given with; alone they would be of pools that the body does not show. */
export function exclusionsNeedPools({ gpu }: UpdateEndpointBody): Violation[] {
  return gpu?.excludedTypes && !gpu.pools ? [violation(['gpu', 'excludedTypes'], 'exclusionsNeedPools', {}, 422)] : [];
}

/**
 * Every broken rule of a change that already has the right shape (facts, section 3, PATCH). What the change leaves out is taken
 * from the endpoint as it is; a rule that only members outside the body break is not the change's fault and is not told.
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
        : { ...broken, path: first, ...elsewhere?.(broken) },
    );
  });
  return [...hardwareFamilyKept(body, current), ...exclusionsNeedPools(body), ...violations];
}

/** What the rules look at once the change is made. The command is the body's alone: its parts replace those of the endpoint. */
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
    // Alone, the deprecated list is the list of mounts; beside one it has to agree.
    networkVolumes: body.mounts?.network && networkVolumes,
  };
}

/** Where an answer leaves the path out, any will do: the rules look at the volumes only. */
function mounted(list: readonly { volumeId: string; path?: string | undefined }[] | undefined): Mounts['network'] {
  return list?.map(({ volumeId, path = '/' }) => ({ volumeId, path }));
}

function memberAt(body: object, path: Path): unknown {
  return path.reduce<unknown>((value, segment) => (value as Record<string, unknown> | undefined)?.[segment], body);
}
