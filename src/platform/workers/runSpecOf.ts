import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { cpuMemoryGb } from '../domain/workerPrices.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import { routeSettings } from '../domain/routeSettings.ts';
import type {
  ImageDigest,
  RegistryAccess,
  RunDebug,
  RunResources,
  RunSpec,
  WorkerServer,
  Mount,
} from '../runtimes/runSpec.ts';
import { StartError, type Runtime } from '../runtimes/runtime.ts';
import type { RegistryCredentials } from '../domain/registry.ts';

/** Dependencies of the runs of all workers. */
export interface RunDependencies {
  /** Identifies the data of the platform. */
  readonly owner: string;
  /** Whether GPU endpoints run without GPUs. */
  readonly ignoreGpus: boolean;
  /** Returns the URL of the worker protocol. */
  readonly workerUrl: () => string;
  /** Returns the volumes of the workers of an endpoint. @throws Error with the reason */
  readonly mountsOf: (endpoint: EndpointRecord) => readonly Mount[];
  /** Returns stored credentials of an account. @throws Error with the reason */
  readonly credentialsOf: (accountId: string, registryId: string) => RegistryCredentials;
}

interface RunIdentity {
  readonly runId: string;
  readonly pinned?: ImageDigest | undefined;
  readonly workerId: string;
  readonly token: string;
  /** UUIDs of the GPUs of this machine that are reserved for the run. Undefined if the runtime assigns the GPUs. */
  readonly gpus: readonly string[] | undefined;
  readonly debug?: RunDebug | undefined;
  readonly profilesImports?: boolean | undefined;
}

/** Returns the specification of a run of a worker of the endpoint. @throws StartError */
export function runSpecOf(
  endpoint: EndpointRecord,
  { runId, workerId, token, gpus, pinned, debug, profilesImports }: RunIdentity,
  dependencies: RunDependencies,
): RunSpec {
  const { image, env } = endpoint;
  const { entrypoint = [], cmd = [] } = debug?.command ? { entrypoint: debug.command } : endpoint;
  const { owner, workerUrl, mountsOf } = dependencies;
  const server = serverOf(endpoint);
  return {
    labels: { owner, endpointId: endpoint.id, workerId, runId },
    protocol: { url: workerUrl(), token },
    ...{ image, pinned, entrypoint, cmd, env, server },
    registry: registryOf(endpoint, dependencies),
    mounts: usable('its volume', () => mountsOf(endpoint)),
    ports: portsOf(endpoint, server),
    resources: resourcesOf(
      endpoint,
      neededGpus({ endpoint, ...dependencies }),
      dependencies.ignoreGpus ? undefined : gpus,
    ),
    ...{ debug, profilesImports, preload: endpoint.local?.preload },
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

/** Parts of the machine for a worker without limits of its own, such as one with GPUs. The machine keeps the rest for its other programs. */
const OWNER_SHARE = 7 / 8;
const OTHER_SHARE = 1 / 2;

function resourcesOf(
  { accountId, cpu: [cpu] = [], disk }: EndpointRecord,
  gpus: number,
  gpuDevices: readonly string[] | undefined,
): RunResources {
  if (gpuDevices && gpuDevices.length < gpus) throw noGpu(gpus);
  return {
    ...(cpu
      ? { vcpu: cpu.vcpuCount, memoryGb: cpuMemoryGb(cpu) }
      : { defaultShare: accountId === OWNER_ACCOUNT_ID ? OWNER_SHARE : OTHER_SHARE }),
    gpus,
    gpuDevices,
    diskGb: disk,
  };
}

function noGpu(needed: number): StartError {
  const gpus = needed === 1 ? 'a GPU' : `${needed} GPUs`;
  const remedy =
    'set "x-local: { gpu: ignore }" in its manifest, or start the platform with --gpus ignore, to run it without GPUs';
  return new StartError(`each worker needs ${gpus}, and this machine does not have enough; ${remedy}`, {
    problem: 'noGpu',
  });
}

/** Converts any error to a StartError. @throws StartError */
function usable<T>(resource: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw new StartError(`${resource} cannot be used: ${(error as Error).message}`);
  }
}

interface GpuContext {
  readonly endpoint: EndpointRecord;
  /** Whether GPU endpoints run without GPUs. */
  readonly ignoreGpus: boolean;
}

/** Returns the number of GPUs that a worker of the endpoint needs. */
function neededGpus({ endpoint: { gpu, local }, ignoreGpus }: GpuContext): number {
  return gpu && !ignoreGpus && local?.gpu !== 'ignore' ? (gpu.count ?? 1) : 0;
}

/** Returns the number of GPUs of this machine that a worker of the endpoint needs. A cluster assigns its GPUs itself. */
export function reservedGpus(context: GpuContext & { readonly runtime: Pick<Runtime, 'placesGpus'> }): number {
  return context.runtime.placesGpus(context.endpoint.image) ? 0 : neededGpus(context);
}
