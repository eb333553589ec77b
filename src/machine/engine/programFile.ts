import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Engine } from './engine.ts';
import { EngineError } from './engineApi.ts';

/* Programs in the files of a container, which does not have to run. */

/** A program, and where a container searches for it. */
export interface ProgramPlace {
  /** First word of the command. */
  readonly program: string;
  readonly directory: string;
  /** Variables of the container, each `NAME=value`. */
  readonly variables: readonly string[];
}

export type ProgramFile =
  | { readonly kind: 'found'; readonly file: string }
  | { readonly kind: 'notExecutable'; readonly file: string }
  | { readonly kind: 'missing' };

/** Looks for a program in a container. @throws EngineError */
export async function findProgram(engine: Engine, containerId: string, place: ProgramPlace): Promise<ProgramFile> {
  for (const file of candidatesOf(place)) {
    const isProgram = await isProgramFile(engine, containerId, file);
    if (isProgram !== undefined) return { kind: isProgram ? 'found' : 'notExecutable', file };
  }
  return { kind: 'missing' };
}

/** Looks for a program in an image, in a container that is never started. @throws EngineError */
export async function findProgramInImage(engine: Engine, image: string, place: ProgramPlace): Promise<ProgramFile> {
  const { api, prefix } = engine;
  const name = `cloud-compute-check-${randomUUID()}`;
  const body = { Image: image, Entrypoint: [place.program] };
  const { Id: id } = await api.json<{ Id: string }>({
    ...{ method: 'POST', path: `${prefix}/containers/create`, query: { name }, body },
  });
  try {
    return await findProgram(engine, id, place);
  } finally {
    await api.json({ method: 'DELETE', path: `${prefix}/containers/${id}`, query: { force: true, v: true } });
  }
}

/** The engines' default for images without the variable. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function searchPath(variables: readonly string[]): string {
  const last = variables.findLast((variable) => variable.startsWith('PATH='));
  return last?.slice('PATH='.length) ?? DEFAULT_PATH;
}

/** Returns the files that the program can be, first choice first. */
export function candidatesOf({ program, directory, variables }: ProgramPlace): string[] {
  const from = (file: string): string => path.posix.resolve('/', directory, file);
  if (program.includes('/')) return [from(program)];
  return searchPath(variables)
    .split(':')
    .map((folder) => from(`${folder}/${program}`));
}

const NOT_FOUND = 404;

/** Resolves with undefined if there is no such file. */
async function isProgramFile({ api, prefix }: Engine, id: string, file: string): Promise<boolean | undefined> {
  const query = { path: file };
  try {
    const response = await api.stream({ method: 'HEAD', path: `${prefix}/containers/${id}/archive`, query });
    response.resume();
    return isExecutable(response.headers['x-docker-container-path-stat']);
  } catch (error) {
    if (error instanceof EngineError && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

const DIRECTORY_BIT = 2 ** 31;
const EXECUTE_BITS = 0o111;

/** @param header base64 of JSON with the mode in the format of Go */
function isExecutable(header: string | string[] | undefined): boolean {
  const { mode = 0 } = JSON.parse(Buffer.from(String(header), 'base64').toString()) as { mode?: number };
  return mode < DIRECTORY_BIT && (mode & EXECUTE_BITS) !== 0;
}
