import path from 'node:path';
import { recordingsFolder } from '../../gate/model/recordingFiles.ts';
import { readDraft } from '../../manifest/actions/createEndpoint.ts';
import { readManifests, type FileTree } from '../../manifest/actions/readManifests.ts';
import { writtenEndpoints } from '../../manifest/model/text/parse.ts';
import type { WorkerSettings } from '../model/workerSettings.ts';

export interface ManifestOfRecording {
  /** Path of the manifest. */
  readonly file: string;
  readonly settings: WorkerSettings;
}

/**
 * Reads the manifest of a recording: that with its endpoint in the folder above, preferably the one whose recordings are in the folder.
 *
 * @returns undefined if no manifest has the endpoint
 * @throws InvalidManifestError; the error of the file system; the reason of the signal
 */
export async function readManifestOfRecording(
  { file, endpoint }: { readonly file: string; readonly endpoint: string },
  tree: FileTree<string>,
  signal: AbortSignal,
): Promise<ManifestOfRecording | undefined> {
  const folder = path.dirname(path.dirname(file));
  const found = await readManifests(tree, folder, signal);
  const parts = found.flatMap(({ place, content }) =>
    'text' in content
      ? writtenEndpoints(content.text, place).flatMap(({ name }, part) =>
          name === endpoint ? [{ place, text: content.text, part }] : [],
        )
      : [],
  );
  const own = parts.find(({ place }) => recordingsFolder(place) === path.dirname(file)) ?? parts[0];
  if (!own) return undefined;
  const { place, text, part } = own;
  const language = place.endsWith('.json') ? 'json' : 'yaml';
  const { body } = await readDraft({ text, part, folder: path.dirname(place), language, target: 'local' });
  return { file: place, settings: body };
}
