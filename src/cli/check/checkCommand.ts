import { counted } from '../../agents/model/counted.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { readManifests } from '../../features/manifest/actions/readManifests.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { readManifestFile } from '../../features/manifest/model/manifestFile.ts';
import { withoutControls } from '../../text/shownText.ts';
import { fileOf, type FileProblem } from '../deploy/folderPlan.ts';
import { placeInFile } from '../deploy/planReport.ts';
import { folderAt, localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface CheckFlags {
  readonly folder: string;
  /** Whether images of `x-build` count as built. */
  readonly beforeBuild?: boolean | undefined;
}

/** Prints the errors of the manifests of a folder. */
export async function checkCommand(
  { folder, beforeBuild = false }: CheckFlags,
  { write, tell, signal }: Surroundings,
): Promise<number> {
  const files = (await readManifests(localFiles, await folderAt(folder), signal)).map(fileOf);
  const problems = files.flatMap(({ fileName, language, content }): readonly Omit<FileProblem, 'code'>[] => {
    if (!('text' in content))
      return [
        { file: fileName, message: explainObstacle({ kind: 'unreadable', reason: content.unreadable }).reason.text },
      ];
    return readManifestFile(content.text, { language, target: 'hosted' })
      .problems.filter(({ code, severity }) => severity === 'error' && !(beforeBuild && code === 'imageNotBuilt'))
      .map(({ start, message }) => ({ file: fileName, ...lineAndColumn(content.text, start), message }));
  });
  if (files.length === 0) throw new CannotRunError(`${folder} has no manifests (*.endpoint.yaml)`);
  for (const problem of problems) write(`${withoutControls(`${placeInFile(problem)}: ${problem.message}`)}\n`);
  tell(`${counted(files.length, 'manifest')} checked, ${counted(problems.length, 'error')}`);
  return problems.length > 0 ? EXIT_CODES.failed : EXIT_CODES.done;
}
