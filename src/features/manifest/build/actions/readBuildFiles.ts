import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { BUILD_DEFAULTS, type BuildPart } from '../../../../contract/imageBuild.ts';
import type { BuildFiles } from '../../model/build/buildProblems.ts';

interface ReadBuildFiles extends BuildFiles {
  /** Absolute path of the context. */
  readonly context: string;
  /** Absolute path of the Dockerfile. */
  readonly file: string;
}

/** Reads the files that `x-build` names. @param folder absolute path of the manifest's folder */
export async function readBuildFiles(folder: string, build: BuildPart): Promise<ReadBuildFiles> {
  const context = path.resolve(folder, build.context ?? BUILD_DEFAULTS.context);
  const file = path.resolve(context, build.dockerfile ?? BUILD_DEFAULTS.dockerfile);
  const hasContext = await stat(context).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const dockerfile = await readFile(file, 'utf8').catch(() => undefined);
  return { context, file, hasContext, dockerfile };
}
