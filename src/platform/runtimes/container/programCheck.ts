import type { Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';
import { inspectContainer } from './engineRequests.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { candidatesOf, findProgram, searchPath } from '../../../machine/engine/programFile.ts';

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
    const place = { program, directory: config?.WorkingDir ?? '', variables: config?.Env ?? [] };
    const key = JSON.stringify([image, program, place.directory, searchPath(place.variables)]);
    if (this.#found.has(key)) return;
    // A volume has its own files.
    if (candidatesOf(place).some((file) => mounts.some((mount) => file.startsWith(`${mount.path}/`)))) return;
    const found = await findProgram(this.#engine, id, place);
    if (found.kind === 'missing') throw badCommand(`command not found: ${program}`);
    if (found.kind === 'notExecutable') throw badCommand(`${found.file} is not executable`);
    this.#found.add(key);
  }
}

function badCommand(problem: string): StartError {
  const remedy = 'Correct the entrypoint or the command. Programs and paths are those of the image.';
  return new StartError(`${problem}. ${remedy}`, { problem: 'badCommand' });
}
