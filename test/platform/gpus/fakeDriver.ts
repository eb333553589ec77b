import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dataDirectory } from '../support.ts';

/** Lines of the driver's program for two GPUs. */
export const TWO_GPUS = '0, GPU-aaaa, NVIDIA L4, 23034\n1, GPU-bbbb, NVIDIA L4, 23034\n';

/**
 * Creates a program with the name of the driver's. Returns an environment whose PATH contains it.
 *
 * @param script shell commands; `$*` contains the arguments
 */
export async function environmentWithDriver(script: string): Promise<NodeJS.ProcessEnv> {
  const directory = await dataDirectory();
  await writeDriver(directory, script);
  return { ...process.env, PATH: `${directory}${path.delimiter}${process.env['PATH'] ?? ''}`, DRIVER: directory };
}

export async function writeDriver(directory: string, script: string): Promise<void> {
  const file = path.join(directory, 'nvidia-smi');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

/** A program that prints these lines if it is asked for the GPUs. */
export const printing = (lines: string): string =>
  `[ "$*" = "--query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits" ] || exit 2\ncat <<'END'\n${lines}END`;
