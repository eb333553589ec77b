import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileTree } from '../../actions/readManifests.ts';
import type { CiService } from '../model/ciSetup.ts';
import type { Repository } from './findRepository.ts';
import { planCiWorkflow, readCiNeeds, type CiWorkflow } from './planCiWorkflow.ts';
import { readCiProgram } from './readCiProgram.ts';

export interface CiRequest<Place> {
  readonly service: CiService;
  readonly repository: Repository;
  readonly tree: FileTree<Place>;
  /** Folder of the manifests. */
  readonly folder: { readonly place: Place; readonly path: string };
  /** Folder of the extension. */
  readonly extension: string;
  readonly signal: AbortSignal;
}

/** @property isWritten false if the file exists, which stays as it is */
export type WrittenWorkflow = CiWorkflow & { readonly file: string; readonly isWritten: boolean };

/** Writes the workflow of a folder into its repository, unless the file exists. */
export async function writeCiWorkflow<Place>(request: CiRequest<Place>): Promise<WrittenWorkflow> {
  const { service, repository, tree, folder, extension, signal } = request;
  const { root, branch } = repository;
  const [needs, program] = await Promise.all([readCiNeeds(tree, folder.place, signal), readCiProgram(extension)]);
  const relative = path.relative(root, folder.path).split(path.sep).join('/') || '.';
  const workflow = planCiWorkflow(service, { ...needs, program, branch, folder: relative }, (name) =>
    existsSync(path.join(root, name)),
  );
  const file = path.join(root, workflow.path);
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(file, workflow.text, { flag: 'wx' });
    return { ...workflow, file, isWritten: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { ...workflow, file, isWritten: false };
  }
}
