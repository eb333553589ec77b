import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../time/clock.ts';

/** A GPU of this machine. */
export interface Gpu {
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
