import os from 'node:os';
import process from 'node:process';
import type { SystemInfo } from '@docker/node-sdk';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { openEngine, type Engine } from '../../../machine/engine/engine.ts';
import { addressFailure, engineUnreachable } from './engineFailure.ts';
import type { EngineRoute } from '../../../machine/engine/engineRoute.ts';
import { untilAborted } from '../../time/clock.ts';

export interface LinkedEngine {
  readonly engine: Engine;
  readonly features: EngineFeatures;
}

/** Finds the engine with the first use, and keeps it while it is in use. */
export class EngineLink {
  readonly #find: () => Promise<EngineRoute | undefined>;
  #opening: Promise<LinkedEngine | undefined> | undefined;
  /** Kept after a failure, because the containers of this platform are on this engine. */
  #route: EngineRoute | undefined;

  constructor(find: () => Promise<EngineRoute | undefined>) {
    this.#find = find;
  }

  /**
   * Resolves with the engine once it has answered; undefined if there is none. Concurrent calls share the attempt, and a failed attempt is
   * repeated with the next call.
   *
   * @throws StartError engineMissing for an invalid address, engineUnreachable; the signal's reason
   */
  async open(signal?: AbortSignal): Promise<LinkedEngine | undefined> {
    signal?.throwIfAborted();
    if (!this.#opening) {
      const opening = this.#open();
      this.#opening = opening;
      const reset = (): void => {
        if (this.#opening === opening) this.#opening = undefined;
      };
      opening.then((linked) => linked ?? reset(), reset);
    }
    return signal ? untilAborted(this.#opening, signal) : this.#opening;
  }

  /** The way that was found last; undefined if there is none. */
  get route(): EngineRoute | undefined {
    return this.#route;
  }

  /** Searches again with the next use, because nothing of this platform is on the engine. */
  forget(): void {
    this.#opening = undefined;
    this.#route = undefined;
  }

  async #open(): Promise<LinkedEngine | undefined> {
    const route =
      this.#route ??
      (await this.#find().catch((error: unknown) => {
        throw addressFailure(error);
      }));
    this.#route = route;
    if (!route) return undefined;
    try {
      const engine = await openEngine(route);
      return { engine, features: await featuresOf(engine) };
    } catch (error) {
      throw error instanceof EngineError ? engineUnreachable(route, error) : error;
    }
  }
}

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

/** Asks the engine for its features. @throws EngineError */
async function featuresOf({ api, prefix, name, route }: Engine): Promise<EngineFeatures> {
  const info = await api.json<Info>({ path: `${prefix}/info` });
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
