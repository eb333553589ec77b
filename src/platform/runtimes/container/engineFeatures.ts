import os from 'node:os';
import process from 'node:process';
import type { SystemInfo } from '@docker/node-sdk';
import type { Engine } from '../../../machine/engine/engine.ts';

/** Properties of an engine that the specification of a container depends on. */
export interface EngineFeatures {
  readonly engine: Engine['name'];
  /** Host name of the engine's machine if it is another one. */
  readonly remoteHost: string | undefined;
  /** Number of CPUs of its machine. */
  readonly cpus: number;
  /** Memory of its machine, in bytes. */
  readonly memory: number;
  readonly limitsCpu: boolean;
  readonly limitsMemory: boolean;
  readonly limitsSwap: boolean;
  /** Whether containers run without root, in a network that separates them from the addresses of the machine. */
  readonly isRootless: boolean;
  /** Whether a virtual machine of this machine runs the engine, as in desktop distributions: they have another kernel. */
  readonly isVirtual: boolean;
}

/** Names differ in capitals between versions of the engines. */
type Info = Omit<SystemInfo, 'CpuCfsQuota'> & { readonly CpuCfsQuota?: boolean; readonly CPUCfsQuota?: boolean };

/** Asks the engine for its features. @throws EngineError; the signal's reason */
export async function featuresOf({ api, prefix, name, route }: Engine, signal?: AbortSignal): Promise<EngineFeatures> {
  const info = await api.json<Info>({ path: `${prefix}/info`, signal });
  return {
    engine: name,
    remoteHost: route.remoteHost,
    cpus: info.NCPU ?? Infinity,
    memory: info.MemTotal ?? Infinity,
    limitsCpu: info.CpuCfsQuota ?? info.CPUCfsQuota ?? true,
    limitsMemory: info.MemoryLimit ?? true,
    limitsSwap: info.SwapLimit ?? true,
    isRootless: info.SecurityOptions?.some((option) => option.includes('rootless')) ?? false,
    isVirtual: route.remoteHost === undefined && (process.platform !== 'linux' || info.KernelVersion !== os.release()),
  };
}
