import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import type { HostCapacity } from '../workers/hostCapacity.ts';

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

/** A GPU of this machine. */
interface Gpu {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  /** Undefined if the driver does not know it. */
  readonly memoryMb: number | undefined;
}

const PROGRAM = 'nvidia-smi';
const QUERY = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits'];
/** Maximum time for the response of the driver, in ms. Loading it can take seconds. */
const TIMEOUT_MS = 10_000;

/**
 * Returns the NVIDIA GPUs of this machine, in the order of their indexes; none if the driver's program is not installed.
 *
 * @param environment contains the PATH with the driver's program
 * @throws Error with the reason if the driver does not respond
 */
export async function discoverGpus(clock: Clock, environment: Readonly<NodeJS.ProcessEnv>): Promise<readonly Gpu[]> {
  if (!isInstalled(environment)) return [];
  const timeout = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
  try {
    return parseGpus(await outputOf(environment, timeout.signal));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    if (timeout.signal.aborted) throw new Error(`${PROGRAM} did not end within ${TIMEOUT_MS} ms`, { cause: error });
    throw error;
  } finally {
    cancel();
  }
}

/** Returns false if no folder of the PATH has the program. Looking for it takes a tenth of the time of a failed start. */
function isInstalled({ PATH }: Readonly<NodeJS.ProcessEnv>): boolean {
  if (process.platform === 'win32' || PATH === undefined) return true;
  return PATH.split(path.delimiter).some((folder) => existsSync(path.join(folder, PROGRAM)));
}

function outputOf(environment: Readonly<NodeJS.ProcessEnv>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environment, signal, killSignal: 'SIGKILL', windowsHide: true } as const;
    execFile(PROGRAM, QUERY, options, (failure, stdout) => {
      const error: Error | null = failure;
      const code: unknown = failure?.code;
      if (!error) resolve(stdout);
      else if (typeof code === 'number') reject(new Error(`${PROGRAM} exited with code ${code}: ${stdout.trim()}`));
      else reject(error);
    });
  });
}

/** Parses the output of the driver's program. Ignores lines that are not about a GPU. */
export function parseGpus(csv: string): readonly Gpu[] {
  return csv.split(/\r?\n/).flatMap((line) => {
    const [index = '', uuid = '', name = '', memory = ''] = line.split(',').map((field) => field.trim());
    if (!/^\d+$/.test(index) || uuid === '') return [];
    return [{ index: Number(index), uuid, name, memoryMb: /^\d+$/.test(memory) ? Number(memory) : undefined }];
  });
}
