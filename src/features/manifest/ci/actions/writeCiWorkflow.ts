import { existsSync } from 'node:fs';
import { mkdir, writeFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileTree } from '../../actions/readManifests.ts';
import type { CiService, CiProgram } from '../model/ciSetup.ts';
import type { Repository } from './findRepository.ts';
import { planCiWorkflow, readCiNeeds, type CiWorkflow } from './planCiWorkflow.ts';
import { createHash } from 'node:crypto';
import * as z from 'zod';

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

const Package = z.object({ version: z.string(), repository: z.object({ url: z.string() }) });

/**
 * Returns the program of this extension: the VSIX file of its release, and the digest of the files, which that VSIX file contains. The digest of
 * the VSIX file itself cannot be in it.
 *
 * @param root folder of the extension
 */
async function readCiProgram(root: string): Promise<CiProgram> {
  const folder = path.join(root, 'dist');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const lines = await Promise.all(
    files.map(async (name) => `${sha256(await readFile(path.join(folder, name)))}  ./${name}\n`),
  );
  const { version, repository } = Package.parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  const address = repository.url.replace(/\.git$/, '');
  return {
    version,
    vsix: `${address}/releases/download/v${version}/cloud-compute-${version}.vsix`,
    digest: sha256(lines.join('')),
  };
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
