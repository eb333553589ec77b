import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { readSources } from '../../features/manifest/actions/newWorker.ts';
import { workerFiles, type WorkerKind } from '../../features/manifest/model/worker/workerFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface NewFlags {
  readonly name: string;
  /** Folder that contains the new one. */
  readonly dir: string;
  readonly kind: WorkerKind;
}

/** Writes a worker to a new folder, and prints the paths of its files. */
export async function newCommand({ name, dir, kind }: NewFlags, surroundings: Surroundings): Promise<number> {
  const { extensionFolder, tell, write } = surroundings;
  const python = process.platform === 'win32' ? 'python' : 'python3';
  const files = workerFiles(name, kind, await readSources(extensionFolder), python);
  const folder = path.join(dir, name);
  try {
    await mkdir(dir, { recursive: true });
    // Fails if the folder exists.
    await mkdir(folder);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CannotRunError(exists ? `${folder} already exists` : (error as Error).message);
  }
  try {
    for (const file of files) {
      await mkdir(path.dirname(path.join(folder, file.path)), { recursive: true });
      await writeFile(path.join(folder, file.path), file.text, { flag: 'wx' });
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new CannotRunError((error as Error).message);
  }
  write(files.map((file) => `${path.join(folder, file.path)}\n`).join(''));
  tell(`test it with: cloud-compute test ${folder}`);
  return EXIT_CODES.done;
}
