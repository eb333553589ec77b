import type { NetworkInspect, SystemInfo } from '@docker/node-sdk';
import type { Engine } from './engine.ts';

/** Properties of an engine that the specification of a container depends on. */
export interface EngineFeatures {
  readonly engine: Engine['name'];
  /** Host name of the engine's machine if it is another one. */
  readonly remoteHost: string | undefined;
  /** Number of CPUs of its machine. */
  readonly cpus: number;
  readonly limitsCpu: boolean;
  readonly limitsMemory: boolean;
  readonly limitsSwap: boolean;
  /** Whether containers run without root, in a network that separates them from the addresses of the machine. */
  readonly isRootless: boolean;
  /** Address of the engine's machine on the default network of containers; undefined if the network has none. */
  readonly gateway: string | undefined;
}

/** Names differ in capitals between versions of the engines. */
type Info = Omit<SystemInfo, 'CpuCfsQuota'> & { readonly CpuCfsQuota?: boolean; readonly CPUCfsQuota?: boolean };

/** Asks the engine for its features. @throws EngineError; the signal's reason */
export async function featuresOf({ api, prefix, name, route }: Engine, signal?: AbortSignal): Promise<EngineFeatures> {
  const network = name === 'Podman' ? 'podman' : 'bridge';
  const [info, { IPAM: ipam }] = await Promise.all([
    api.json<Info>({ path: `${prefix}/info`, signal }),
    api.json<NetworkInspect>({ path: `${prefix}/networks/${network}`, signal }),
  ]);
  return {
    engine: name,
    remoteHost: route.remoteHost,
    cpus: info.NCPU ?? Infinity,
    limitsCpu: info.CpuCfsQuota ?? info.CPUCfsQuota ?? true,
    limitsMemory: info.MemoryLimit ?? true,
    limitsSwap: info.SwapLimit ?? true,
    isRootless: info.SecurityOptions?.some((option) => option.includes('rootless')) ?? false,
    gateway: ipam?.Config?.find(({ Gateway: gateway }) => gateway !== undefined && gateway !== '')?.Gateway,
  };
}
