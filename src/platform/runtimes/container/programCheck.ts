import path from 'node:path';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';
import { inspectContainer } from './containerApi.ts';
import type { Engine } from '../../../machine/engine/engine.ts';

export interface CheckedContainer {
  readonly id: string;
  /** ID of its image. */
  readonly image: string;
  readonly mounts: readonly Mount[];
}

/**
 * Checks that the image of a container has the program of its command. The init process runs the program, so the engine itself does not
 * notice that it is missing.
 */
export class ProgramCheck {
  readonly #engine: Engine;
  /** Programs that were found, with their images and search paths. The files of an image do not change. */
  readonly #found = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @throws StartError badCommand; EngineError */
  async check({ id, image, mounts }: CheckedContainer): Promise<void> {
    const { Config: config } = (await inspectContainer(this.#engine, id)) ?? {};
    const program = [...(config?.Entrypoint ?? []), ...(config?.Cmd ?? [])][0];
    if (program === undefined || program === '') return;
    const directory = config?.WorkingDir ?? '';
    const key = JSON.stringify([image, program, directory, searchPath(config?.Env)]);
    if (this.#found.has(key)) return;
    const candidates = pathsOf(program, directory, searchPath(config?.Env));
    // A volume has its own files.
    if (candidates.some((file) => mounts.some((mount) => file.startsWith(`${mount.path}/`)))) return;
    for (const file of candidates) {
      const isProgram = await this.#isProgram(id, file);
      if (isProgram === undefined) continue;
      if (!isProgram) throw badCommand(`${file} is not executable`);
      this.#found.add(key);
      return;
    }
    throw badCommand(`command not found: ${program}`);
  }

  /** Resolves with undefined if there is no such file. */
  async #isProgram(id: string, file: string): Promise<boolean | undefined> {
    const { api, prefix } = this.#engine;
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
}

const NOT_FOUND = 404;

function badCommand(problem: string): StartError {
  const remedy = 'Correct the entrypoint or the command. Programs and paths are those of the image.';
  return new StartError(`${problem}. ${remedy}`, { problem: 'badCommand' });
}

/** The engines' default for images without the variable. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function searchPath(variables: readonly string[] | null | undefined): string {
  const last = variables?.findLast((variable) => variable.startsWith('PATH='));
  return last?.slice('PATH='.length) ?? DEFAULT_PATH;
}

function pathsOf(program: string, directory: string, searched: string): string[] {
  const from = (file: string): string => path.posix.resolve('/', directory, file);
  return program.includes('/') ? [from(program)] : searched.split(':').map((folder) => from(`${folder}/${program}`));
}

const DIRECTORY_BIT = 2 ** 31;
const EXECUTE_BITS = 0o111;

/** @param header base64 of JSON with the mode in the format of Go */
function isExecutable(header: string | string[] | undefined): boolean {
  const { mode = 0 } = JSON.parse(Buffer.from(String(header), 'base64').toString()) as { mode?: number };
  return mode < DIRECTORY_BIT && (mode & EXECUTE_BITS) !== 0;
}
