import path from 'node:path';
import process from 'node:process';
import { readManifestCandidates } from '../../features/jobs/actions/readManifestCandidates.ts';
import { manifestOfJobFile } from '../../features/jobs/model/manifestOfJobFile.ts';
import type { FileTree } from '../../features/manifest/actions/readManifests.ts';
import { localFiles } from '../localFiles.ts';

/** One folder, without its subfolders. */
const oneFolder: FileTree<string> = {
  ...localFiles,
  list: async (folder) => (await localFiles.list(folder)).filter(({ kind }) => kind === 'file'),
};

/**
 * Returns the name of the endpoint whose manifest a job file belongs to by its place, with the rule of the editor. The folders are that of
 * the file and its parents, up to the working directory.
 *
 * @param given path of the job file
 */
export async function endpointBeside(given: string, signal: AbortSignal): Promise<string | undefined> {
  const file = path.resolve(given);
  for (const folder of foldersOf(file)) {
    const manifests = await readManifestCandidates(oneFolder, folder, signal).catch(() => []);
    signal.throwIfAborted();
    if (manifests.length === 0) continue;
    const from = path.relative(folder, file).replaceAll(path.sep, '/');
    return manifestOfJobFile({ path: from }, manifests)?.name;
  }
  return undefined;
}

function foldersOf(file: string): string[] {
  const own = path.dirname(file);
  const between = path.relative(process.cwd(), own);
  const isInside = !path.isAbsolute(between) && between.split(path.sep)[0] !== '..';
  const levels = isInside && between !== '' ? between.split(path.sep).length : 0;
  return Array.from({ length: levels + 1 }, (_, level) => path.resolve(own, ...Array<string>(level).fill('..')));
}
