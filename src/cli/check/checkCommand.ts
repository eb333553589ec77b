import { counted } from '../../agents/model/boundedOutput.ts';
import { lineAndColumn } from '../../features/jobs/model/jobInput.ts';
import { readManifests } from '../../features/manifest/actions/readManifests.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { readManifestFile, type ManifestPart } from '../../features/manifest/model/manifestFile.ts';
import { problemsOfChosen } from '../../features/manifest/model/problem.ts';
import { withoutControls } from '../../text/shownText.ts';
import { environmentNamed, type ChosenEnvironment } from '../deploy/chosenEnvironment.ts';
import { fileOf, type FileProblem } from '../deploy/folderPlan.ts';
import { placeInFile } from '../deploy/planReport.ts';
import { folderAt, localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface CheckFlags {
  readonly folder: string;
  /** Name of the environment to check. Undefined: the manifests as they are written, and in all environments. */
  readonly environment?: string | undefined;
  /** Whether images of `x-build` count as built. */
  readonly beforeBuild?: boolean | undefined;
}

/** Prints the errors of the manifests of a folder. */
export async function checkCommand(
  { folder, environment: name, beforeBuild = false }: CheckFlags,
  { write, tell, signal }: Surroundings,
): Promise<number> {
  const files = (await readManifests(localFiles, await folderAt(folder), signal)).map(fileOf);
  const environment = name === undefined ? undefined : await environmentNamed(name, folder, signal);
  const problems = files.flatMap(({ fileName, language, content }): readonly Omit<FileProblem, 'code'>[] => {
    if (!('text' in content))
      return [
        { file: fileName, message: explainObstacle({ kind: 'unreadable', reason: content.unreadable }).reason.text },
      ];
    const { text } = content;
    return readManifestFile(text, { language, target: 'hosted', environment: environment?.name })
      .parts.flatMap((part) => problemsOf(part, environment))
      .filter(({ code, severity }) => severity === 'error' && !(beforeBuild && code === 'imageNotBuilt'))
      .map(({ start, message }) => ({ file: fileName, ...lineAndColumn(text, start), message }));
  });
  if (files.length === 0) throw new CannotRunError(`${folder} has no manifests (*.endpoint.yaml)`);
  for (const problem of problems) write(`${withoutControls(`${placeInFile(problem)}: ${problem.message}`)}\n`);
  tell(`${counted(files.length, 'manifest')} checked, ${counted(problems.length, 'error')}`);
  return problems.length > 0 ? EXIT_CODES.failed : EXIT_CODES.done;
}

type Problem = Pick<ManifestPart['problems'][number], 'start' | 'message' | 'severity'> & { readonly code: string };

/** Returns the problems of a part in the chosen environment, or all without one. */
function problemsOf(part: ManifestPart, chosen: ChosenEnvironment | undefined): readonly Problem[] {
  if (!chosen) return part.problems;
  const { start, environments, environment } = part;
  if (environments.length === 0 || environment) return problemsOfChosen(part);
  const obstacle = { kind: 'environment', chosen: chosen.name, known: environments.map(({ name }) => name) } as const;
  return [{ start, code: obstacle.kind, severity: 'error', message: explainObstacle(obstacle).reason.text }];
}
