import { cpuMemoryGb } from '../domain/workerPrices.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { routeSettings } from '../domain/routeSettings.ts';
import type { ImageDigest, RegistryAccess, RunResources, RunSpec, WorkerServer } from '../runtimes/runSpec.ts';
import { StartError } from '../runtimes/runtime.ts';
import type { RunDependencies } from './runDependencies.ts';

interface RunIdentity {
  readonly runId: string;
  readonly pinned?: ImageDigest | undefined;
  readonly workerId: string;
  readonly token: string;
}

/** Returns the specification of a run of a worker of the endpoint. @throws StartError */
export function runSpecOf(
  endpoint: EndpointRecord,
  { runId, workerId, token, pinned }: RunIdentity,
  dependencies: RunDependencies,
): RunSpec {
  const { image, entrypoint = [], cmd = [], env } = endpoint;
  const { owner, workerUrl, mountsOf } = dependencies;
  const server = serverOf(endpoint);
  return {
    labels: { owner, endpointId: endpoint.id, workerId, runId },
    protocol: { url: workerUrl(), token },
    ...{ image, pinned, entrypoint, cmd, env, server },
    registry: registryOf(endpoint, dependencies),
    mounts: usable('its volume', () => mountsOf(endpoint)),
    ports: portsOf(endpoint, server),
    resources: resourcesOf(endpoint),
  };
}

function serverOf(endpoint: EndpointRecord): WorkerServer | undefined {
  if (endpoint.type !== 'LOAD_BALANCER') return undefined;
  const { port, healthPort, healthPath } = routeSettings(endpoint);
  return { port, healthPort, healthPath };
}

function registryOf(
  { registry, accountId }: EndpointRecord,
  dependencies: RunDependencies,
): RegistryAccess | undefined {
  if (!registry) return undefined;
  const credentials = () => usable('its registry credential', () => dependencies.credentialsOf(accountId, registry));
  return { id: registry, credentials };
}

/** Returns the ports of the server, and those that the endpoint lists, such as `8080/http`. */
function portsOf({ ports = [] }: EndpointRecord, server: WorkerServer | undefined): number[] {
  const listed = ports.map((port) => Number.parseInt(port));
  return [...new Set([...(server ? [server.port, server.healthPort] : []), ...listed])];
}

function resourcesOf({ gpu, cpu: [cpu] = [], disk }: EndpointRecord): RunResources {
  return {
    ...(cpu && { vcpu: cpu.vcpuCount, memoryGb: cpuMemoryGb(cpu) }),
    gpus: gpu ? (gpu.count ?? 1) : 0,
    diskGb: disk,
  };
}

/** Converts any error to a StartError. @throws StartError */
function usable<T>(resource: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw new StartError(`${resource} cannot be used: ${(error as Error).message}`);
  }
}
