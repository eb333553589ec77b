import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import type { HostCapacity } from '../workers/hostCapacity.ts';
import { discoverGpus, type Gpu } from './discoverGpus.ts';

/**
 * GPUs of this machine for workers. `auto`: those that are discovered. `none`: none, so GPU endpoints cannot run. `ignore`: GPU endpoints run
 * without GPUs. A list: these GPUs, by index or UUID.
 */
export type GpuChoice = 'auto' | 'none' | 'ignore' | readonly string[];

export interface MachineGpusOptions {
  readonly choice: GpuChoice;
  /** Waits in real time. */
  readonly clock: Clock;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Assigns the GPUs to workers. */
  readonly capacity: HostCapacity;
  readonly log: Logger;
}

/** A GPU for workers. */
export interface GpuState extends Gpu {
  /** Whether a worker has it. */
  readonly inUse: boolean;
}

/** The GPUs of this machine that workers may use. */
export class MachineGpus {
  readonly #options: MachineGpusOptions;
  #gpus: readonly Gpu[] = [];
  #refreshing: Promise<void> | undefined;

  constructor(options: MachineGpusOptions) {
    this.#options = options;
  }

  list(): GpuState[] {
    const { gpusInUse } = this.#options.capacity;
    return this.#gpus.map((gpu) => ({ ...gpu, inUse: gpusInUse.has(gpu.uuid) }));
  }

  /** Reads the GPUs again. Without a response of the driver, there are none. Never throws. */
  refresh(): Promise<void> {
    const { choice } = this.#options;
    if (choice === 'none' || choice === 'ignore') return Promise.resolve();
    return (this.#refreshing ??= this.#read(choice).finally(() => (this.#refreshing = undefined)));
  }

  async #read(choice: 'auto' | readonly string[]): Promise<void> {
    const { clock, environment, capacity, log } = this.#options;
    const found = await discoverGpus(clock, environment).catch((error: unknown) => {
      log.warn({ err: error }, 'the GPUs of this machine are not known');
      return [];
    });
    const missing = choice === 'auto' ? [] : choice.filter((id) => !found.some((gpu) => isNamed(gpu, id)));
    if (missing.length > 0) log.warn({ missing }, 'this machine does not have these GPUs');
    this.#gpus = choice === 'auto' ? found : found.filter((gpu) => choice.some((id) => isNamed(gpu, id)));
    capacity.setGpus(this.#gpus.map(({ uuid }) => uuid));
  }
}

/** @param id index or UUID */
const isNamed = ({ index, uuid }: Gpu, id: string): boolean => id === uuid || id === String(index);
