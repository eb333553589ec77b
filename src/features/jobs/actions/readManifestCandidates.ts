import { readManifests, type FileTree } from '../../manifest/actions/readManifests.ts';
import { writtenEndpoints } from '../../manifest/model/text/parse.ts';
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
function candidatesIn(text: string, path: string): readonly ManifestCandidate[] {
  return writtenEndpoints(text, path).map(({ name, type, 'x-local': local }) => ({
    path,
    name: textOf(name),
    type: textOf(type),
    inputSchema: isObject(local) ? textOf(local['inputSchema']) : undefined,
  }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
