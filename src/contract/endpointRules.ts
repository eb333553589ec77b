import { parseArgs, sameCommand } from './containerCommand.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import type { Violation } from './violation.ts';

/**
 * The rules of the create body that no schema of one member can tell (interface document, "Serverless endpoint", rules 1 to 8).
 * The editor and the local platform call the same ones. Rule 7 (templates) and rule 4 (clearing) are not checks: see
 * `applyTemplate` and `parseArgs`.
 */
export type EndpointRule = (body: CreateEndpointBody) => Violation[];

const broken = (path: Violation['path'], message: string): Violation => ({ path, message, status: 400 });

/** An image is needed unless a template brings one. */
export const imageOrTemplate: EndpointRule = ({ image, templateId }) =>
  image === undefined && templateId === undefined ? [broken(['image'], 'missing: give an image or a templateId')] : [];

/** Workers run on GPUs or on CPUs: exactly one is chosen. */
export const gpuOrCpu: EndpointRule = ({ gpu, cpu }) => {
  if (gpu && cpu) return [broken(['cpu'], 'gpu and cpu cannot be given together')];
  return gpu || cpu ? [] : [broken(['gpu'], 'missing: give gpu or cpu')];
};

/** QUEUE_DELAY needs a queue. */
export const scalerFitsType: EndpointRule = ({ type, scaling }) =>
  type === 'LOAD_BALANCER' && scaling.type === 'QUEUE_DELAY'
    ? [broken(['scaling', 'type'], 'QUEUE_DELAY is for QUEUE endpoints only; use REQUEST_COUNT')]
    : [];

/** `idleTimeout` does not apply to a queue that scales on request count. */
export const idleTimeoutApplies: EndpointRule = ({ type, scaling, workers }) =>
  type === 'QUEUE' && scaling.type === 'REQUEST_COUNT' && workers?.idleTimeout !== undefined
    ? [broken(['workers', 'idleTimeout'], 'does not apply to a QUEUE endpoint that scales on REQUEST_COUNT')]
    : [];

export const minNotAboveMax: EndpointRule = ({ workers }) =>
  workers?.min !== undefined && workers.max !== undefined && workers.min > workers.max
    ? [broken(['workers', 'min'], `is above max (${workers.max})`)]
    : [];

/** Rule 8. An explicit empty list may accompany the floor. */
export const oneCudaConstraint: EndpointRule = ({ gpu }) =>
  gpu?.minCudaVersion !== undefined && gpu.allowedCudaVersions?.length
    ? [broken(['gpu', 'minCudaVersion'], 'minCudaVersion and allowedCudaVersions exclude each other')]
    : [];

/** The same flavor may appear at different vCPU counts, but not twice at one. */
export const cpuWithoutDuplicates: EndpointRule = ({ cpu = [] }) =>
  cpu.flatMap((entry, index) =>
    cpu.findIndex(({ id, vcpuCount }) => id === entry.id && vcpuCount === entry.vcpuCount) < index
      ? [broken(['cpu', index], `repeats ${entry.id} with ${entry.vcpuCount} vCPUs`)]
      : [],
  );

/** Rules 1 and 3: `args` is readable, and beside `entrypoint` or `cmd` it is the same command. */
export const oneCommand: EndpointRule = ({ args, entrypoint, cmd }) => {
  if (args === undefined) return [];
  try {
    const fromArgs = parseArgs(args);
    const agrees = sameCommand(fromArgs, { entrypoint: entrypoint ?? fromArgs.entrypoint, cmd: cmd ?? fromArgs.cmd });
    return agrees ? [] : [broken(['args'], 'is another command than entrypoint and cmd')];
  } catch (error) {
    return [broken(['args'], (error as Error).message)];
  }
};

/** Rule 6: one kind of volume at a time, one global volume at most, for GPU endpoints, in agreement with `networkVolumes`. */
export const mountsAgree: EndpointRule = ({ mounts, networkVolumes, gpu }) => {
  const { network, global = [] } = mounts ?? {};
  const violations: Violation[] = [];
  if (network?.length && global.length)
    violations.push(broken(['mounts', 'global'], 'network and global volumes cannot be mounted together'));
  if (global.length > 1) violations.push(broken(['mounts', 'global', 1], 'at most one global volume can be mounted'));
  if (global.length && !gpu) violations.push(broken(['mounts', 'global'], 'global volumes are for GPU endpoints only'));
  const named = network?.map(({ volumeId }) => volumeId);
  if (
    named &&
    networkVolumes &&
    (named.length !== networkVolumes.length || named.some((id, index) => id !== networkVolumes[index]))
  ) {
    violations.push(broken(['networkVolumes'], 'does not agree with mounts.network'));
  }
  if (global.length && networkVolumes?.length)
    violations.push(broken(['networkVolumes'], 'network and global volumes cannot be mounted together'));
  return violations;
};

/** Rule 5: the environment of a load-balanced endpoint names ports and a path. */
export const loadBalancerEnvironment: EndpointRule = ({ type, env = {} }) => {
  if (type !== 'LOAD_BALANCER') return [];
  const isPort = (text: string) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
  const ports = ['PORT', 'PORT_HEALTH'].flatMap((name) =>
    env[name] === undefined || isPort(env[name]) ? [] : [broken(['env', name], 'must be a port from 1 to 65535')],
  );
  const path = env['HEALTH_CHECK_PATH'];
  return path === undefined || path.startsWith('/')
    ? ports
    : [...ports, broken(['env', 'HEALTH_CHECK_PATH'], 'must start with /')];
};

const rules: readonly EndpointRule[] = [
  imageOrTemplate,
  gpuOrCpu,
  scalerFitsType,
  idleTimeoutApplies,
  minNotAboveMax,
  oneCudaConstraint,
  cpuWithoutDuplicates,
  oneCommand,
  mountsAgree,
  loadBalancerEnvironment,
];

/** Every broken rule of a create body that already has the right shape. */
export function checkCreateEndpoint(body: CreateEndpointBody): Violation[] {
  return rules.flatMap((rule) => rule(body));
}
