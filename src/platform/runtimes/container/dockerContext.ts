import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { StartError } from '../runtime.ts';
import type { TlsFiles } from './engineAddress.ts';
import { configurationDirectory, type MachineContext } from './machineContext.ts';

/* The contexts of Docker's command line, which keeps each in a directory named after the hash of its name. */

export interface ContextEndpoint {
  /** As in `DOCKER_HOST`. */
  readonly host: string;
  readonly tls: TlsFiles | undefined;
}

const Configuration = z.object({ currentContext: z.string().optional() });
const Context = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() }) }),
});

/** Resolves with the name of the context in Docker's configuration; undefined if there is none. @throws StartError */
export async function currentContext(machine: MachineContext): Promise<string | undefined> {
  const file = path.join(configurationDirectory(machine), 'config.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsed(Configuration, text, file).currentContext;
}

/** @throws StartError if there is no context with this name, or it cannot be read */
export async function dockerContext(name: string, machine: MachineContext): Promise<ContextEndpoint> {
  const contexts = path.join(configurationDirectory(machine), 'contexts');
  const id = createHash('sha256').update(name).digest('hex');
  const file = path.join(contexts, 'meta', id, 'meta.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartError(
      `there is no Docker context ${name}. Select one that "docker context ls" shows, or set the address of the engine.`,
      { problem: 'engineMissing', cause },
    );
  });
  const { Host: host, SkipTLSVerify: skip = false } = parsed(Context, text, file).Endpoints.docker;
  const directory = path.join(contexts, 'tls', id, 'docker');
  const hasTls = await stat(directory).then(
    () => true,
    () => skip,
  );
  return { host, tls: hasTls ? { directory, verify: !skip } : undefined };
}

function parsed<T>(schema: z.ZodType<T>, text: string, file: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartError(`Docker's file ${file} cannot be read. Correct it, or set the address of the engine.`, {
      problem: 'engineMissing',
      cause,
    });
  }
}
