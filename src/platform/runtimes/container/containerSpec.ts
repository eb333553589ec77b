import { stat } from 'node:fs/promises';
import type { ContainerCreateRequest, DeviceRequest, HostConfig, PortBinding } from '@docker/node-sdk';
import type { RunResources, RunSpec, Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';
import { workerCapabilities } from '../workerCapabilities.ts';
import { workerEnvironment } from '../workerEnvironment.ts';
import { labelsOf } from './containerLabels.ts';
import type { EngineFeatures } from './engineLink.ts';
import type { WorkerNetwork } from './workerNetworks.ts';

export interface ContainerPlan {
  /** ID of the image on the engine. */
  readonly image: string;
  /** URL of the worker protocol that the container can reach. */
  readonly protocolUrl: string;
  readonly features: EngineFeatures;
  readonly network: WorkerNetwork;
  /** Capabilities that the owner of the platform allows in addition. */
  readonly capabilities?: readonly string[] | undefined;
  /** Whether the engine limits the disk. */
  readonly limitsDisk: boolean;
}

const GIB = 1024 ** 3;
const NANO = 1e9;
const LOOPBACK = '127.0.0.1';
const HOST_NAME = 'host.docker.internal';

/**
 * Log of the engine, which is limited so that a worker that prints a lot does not fill the disk of the machine. Docker loses lines when it
 * replaces a file of its default log while a connection follows it, but not with the log `local`. Podman has one file of its own format.
 */
const LOG_CONFIGS: Readonly<Record<EngineFeatures['engine'], NonNullable<HostConfig['LogConfig']>>> = {
  Docker: { Type: 'local', Config: { 'max-size': '16m', 'max-file': '3', compress: 'false' } },
  Podman: { Type: 'json-file', Config: { 'max-size': '16m' } },
};

/** Maximum number of processes and threads of a worker, as by default in Podman. Without one, a worker can stop the whole machine. */
const MAX_PROCESSES = 2048;

/** Returns the body of the request that creates the container of a run. @throws StartError */
export function createBody(spec: RunSpec, plan: ContainerPlan): ContainerCreateRequest {
  const { labels, entrypoint, cmd } = spec;
  const variables = environmentOf(spec, plan.protocolUrl);
  if ([...entrypoint, ...cmd, ...variables].some((text) => text.includes('\0'))) {
    throw new StartError('the command or environment contains a null byte. Remove it.', { problem: 'badCommand' });
  }
  const { drop, add } = workerCapabilities(plan.capabilities);
  const ports = [...new Set(spec.ports)].map((port) => `${port}/tcp`);
  return {
    Image: plan.image,
    // Like the hosted platform, an entrypoint also replaces the command of the image.
    ...(entrypoint.length > 0 && { Entrypoint: [...entrypoint] }),
    ...(cmd.length > 0 && { Cmd: [...cmd] }),
    Env: variables,
    Labels: labelsOf(labels),
    ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
    HostConfig: {
      ...limitsOf(spec.resources, plan),
      PortBindings: Object.fromEntries(ports.map((port) => [port, [bindingOf(plan.features)]])),
      Mounts: spec.mounts.map(({ directory, path }) => ({ Type: 'bind', Source: directory, Target: path })),
      // Adopts and reaps processes, and makes a worker without a handler exit at SIGTERM.
      Init: true,
      SecurityOpt: ['no-new-privileges'],
      CapDrop: drop,
      CapAdd: add,
      PidsLimit: MAX_PROCESSES,
      NetworkMode: plan.network.name,
      ExtraHosts: hostsOf(plan),
      LogConfig: LOG_CONFIGS[plan.features.engine],
    },
  };
}

/** Returns the variables of a container, such as `NAME=value`. @param protocolUrl URL of the worker protocol that the container can reach */
export function environmentOf(spec: RunSpec, protocolUrl: string): string[] {
  const protocol = { ...spec.protocol, url: protocolUrl };
  const environment = {
    ...withoutGpus(spec.resources),
    ...workerEnvironment({ ...spec, protocol }, { sendsToken: true }),
  };
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

/**
 * Images of CUDA ask for all GPUs with this variable. An engine whose default is the runtime of NVIDIA grants them to every container. The
 * endpoint can override it.
 */
const withoutGpus = ({ gpuDevices }: RunResources) => gpuDevices?.length === 0 && { NVIDIA_VISIBLE_DEVICES: 'void' };

/** The engine chooses the port on the machine. On a remote engine, the platform is another machine. */
function bindingOf({ remoteHost }: EngineFeatures): PortBinding {
  return { HostIp: remoteHost === undefined ? LOOPBACK : '', HostPort: '' };
}

/**
 * Names the machine of the engine, as the desktop distributions of Docker do. The gateway of the network is that machine, except in a virtual
 * machine, and without root; only Docker has `host-gateway` for them. It is the second choice, because Docker 20.10 loses its address when it
 * starts again beside running containers. Newer versions of Podman add the name themselves.
 */
function hostsOf({ features, network: { gateway } }: ContainerPlan): string[] {
  if (gateway !== undefined && !features.isRootless && !features.isVirtual) return [`${HOST_NAME}:${gateway}`];
  return features.engine === 'Docker' ? [`${HOST_NAME}:host-gateway`] : [];
}

function limitsOf(resources: RunResources, { features, limitsDisk }: ContainerPlan): HostConfig {
  const { diskGb, defaultShare } = resources;
  const vcpu = resources.vcpu ?? shareOf(features.cpus, defaultShare);
  const memory = resources.memoryGb === undefined ? shareOf(features.memory, defaultShare) : resources.memoryGb * GIB;
  const gpus = gpuRequest(resources, features);
  return {
    // The engine refuses more CPUs than the machine has.
    ...(vcpu !== undefined && features.limitsCpu && { NanoCpus: Math.round(Math.min(vcpu, features.cpus) * NANO) }),
    ...(memory !== undefined && features.limitsMemory && { Memory: Math.round(memory) }),
    // The same number, so that the worker does not swap.
    ...(memory !== undefined && features.limitsSwap && { MemorySwap: Math.round(memory) }),
    ...(diskGb !== undefined && limitsDisk && { StorageOpt: { size: `${diskGb}G` } }),
    ...(gpus && { DeviceRequests: [gpus] }),
  };
}

function shareOf(amount: number, share: number | undefined): number | undefined {
  return share === undefined || amount === Infinity ? undefined : amount * share;
}

function gpuRequest({ gpus, gpuDevices }: RunResources, { engine }: EngineFeatures): DeviceRequest | undefined {
  const wanted = gpuDevices?.length ?? gpus;
  if (wanted === 0) return undefined;
  if (engine === 'Podman') {
    // Podman ignores the request without an error.
    throw new StartError(
      'Podman assigns no GPUs through the API of Docker. Use Docker, or allow the endpoint to run without a GPU.',
      { problem: 'noGpu' },
    );
  }
  const devices = gpuDevices ? { DeviceIDs: [...gpuDevices] } : { Count: gpus };
  return { Driver: '', ...devices, Capabilities: [['gpu']] };
}

/** Checks that the engine can mount these directories. Some engines create a missing one. @throws StartError */
export async function checkMounts(mounts: readonly Mount[], { remoteHost }: EngineFeatures): Promise<void> {
  for (const { directory } of mounts) {
    if (remoteHost !== undefined) {
      throw new StartError(
        `the volume is a directory of this machine, but the engine runs on ${remoteHost}. ` +
          'Use an engine on this machine, or remove the volume.',
      );
    }
    const found = await stat(directory).catch(() => undefined);
    if (!found?.isDirectory()) {
      throw new StartError(
        `the directory ${directory} of the volume does not exist. Restore it, or remove the volume.`,
      );
    }
  }
}
