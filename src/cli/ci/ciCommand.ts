import path from 'node:path';
import { findRepository } from '../../features/manifest/ci/actions/findRepository.ts';
import { writeCiWorkflow } from '../../features/manifest/ci/actions/writeCiWorkflow.ts';
import type { CiService } from '../../features/manifest/ci/model/ciSetup.ts';
import { folderAt, localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface CiFlags {
  readonly service: CiService;
  readonly folder: string;
}

/** Writes the workflow of a CI service, and names the settings that it needs. */
export async function ciCommand(
  { service, folder: given }: CiFlags,
  { write, tell, signal, extensionFolder }: Surroundings,
): Promise<number> {
  const folder = await folderAt(given);
  const { file, isWritten, include, secrets, variables } = await writeCiWorkflow({
    ...{ service, tree: localFiles, extension: extensionFolder, signal },
    repository: await findRepository(folder),
    folder: { place: folder, path: folder },
  });
  const shownFile = path.relative('', file);
  if (!isWritten) throw new CannotRunError(`${shownFile} exists; remove it to write it again`);
  write(`${shownFile}\n`);
  tell(
    `Set the secrets ${secrets.join(', ')} and the variables ${variables.join(', ')} in the settings of the repository.`,
  );
  if (include !== undefined) tell(`Add this line to .gitlab-ci.yml: ${include}`);
  return EXIT_CODES.done;
}
