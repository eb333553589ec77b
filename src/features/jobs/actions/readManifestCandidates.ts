import path from 'node:path';
import { splitShellWords } from '../../../contract/shellWords.ts';
import { readManifests, type FileTree } from '../../manifest/actions/readManifests.ts';
import { writtenEndpoints } from '../../manifest/model/text/parse.ts';
import { mainFiles } from '../model/declared/declaredInput.ts';
import { isObject } from '../model/jobInput.ts';
import type { ManifestCandidate } from '../model/manifestOfJobFile.ts';

/** An endpoint of a manifest, with the place of its file. */
export interface PlacedCandidate<Place> extends ManifestCandidate {
  readonly place: Place;
}

/**
 * Reads the endpoints of all manifests in a folder and its subfolders, for `manifestOfJobFile`. Skips unreadable manifests. A manifest with
 * errors counts if its text can be parsed.
 *
 * @throws the error of the file system if the folder itself cannot be read, and the reason of the signal
 */
export async function readManifestCandidates<Place>(
  tree: FileTree<Place>,
  folder: Place,
  signal: AbortSignal,
): Promise<readonly PlacedCandidate<Place>[]> {
  const found = await readManifests(tree, folder, signal);
  return found.flatMap(({ place, path, content }) =>
    'text' in content ? candidatesIn(content.text, path).map((candidate) => ({ ...candidate, place })) : [],
  );
}

/** Returns the endpoints in the text of a manifest. */
function candidatesIn(text: string, file: string): readonly ManifestCandidate[] {
  return writtenEndpoints(text, file).map(({ name, type, 'x-local': local, 'x-build': build }) => {
    const settings = isObject(local) ? local : {};
    const given = settings['inputSchema'];
    return {
      path: file,
      name: textOf(name),
      type: textOf(type),
      inputSchema: isObject(given) ? given : textOf(given),
      sources: sourcesOf(settings, isObject(build) ? build : undefined),
    };
  });
}

/** Returns the files that can start the worker: those of its command, or the usual ones in the folder of its image. */
function sourcesOf(
  { directory, command }: Readonly<Record<string, unknown>>,
  build: Readonly<Record<string, unknown>> | undefined,
): readonly string[] {
  const folder = textOf(directory);
  if (folder !== undefined) return inFolder(folder, mainFiles(wordsOf(command)));
  return build ? inFolder(textOf(build['context']) ?? '.', mainFiles(undefined)) : [];
}

function inFolder(folder: string, files: readonly string[]): string[] {
  return files.map((file) => path.posix.join(folder.replaceAll('\\', '/'), file));
}

function wordsOf(command: unknown): readonly string[] {
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string');
  try {
    return typeof command === 'string' ? splitShellWords(command) : [];
  } catch {
    // An unclosed quote is a problem of the manifest.
    return [];
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
