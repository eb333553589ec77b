import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { recordingsFolder } from '../../manifest/model/deployment/recordingsFolder.ts';
import { readDraft } from '../../manifest/actions/createEndpoint.ts';
import { LONGEST_MANIFEST } from '../../manifest/model/text/bounds.ts';
import { writtenEndpoints } from '../../manifest/model/text/parse.ts';
import type { WorkerSettings } from '../model/workerSettings.ts';

export interface ManifestOfRecording {
  /** Path of the manifest. */
  readonly file: string;
  readonly settings: WorkerSettings;
}

const MANIFEST_NAME = /\.endpoint\.(?:ya?ml|json)$/;

/**
 * Reads the manifest of a recording: one beside its folder that has the endpoint, preferably the one that the folder is named after.
 *
 * @returns undefined if no manifest there has the endpoint
 * @throws InvalidManifestError; the error of the file system
 */
export async function readManifestOfRecording(
  { file, endpoint }: { readonly file: string; readonly endpoint: string },
  signal: AbortSignal,
): Promise<ManifestOfRecording | undefined> {
  const recordings = path.dirname(file);
  const folder = path.dirname(recordings);
  const names = (await readdir(folder)).filter((name) => MANIFEST_NAME.test(name)).sort();
  const places = names.map((name) => path.join(folder, name));
  const isOwn = (place: string): boolean => recordingsFolder(place) === recordings;
  for (const place of [...places.filter(isOwn), ...places.filter((one) => !isOwn(one))]) {
    signal.throwIfAborted();
    if ((await stat(place)).size > 4 * LONGEST_MANIFEST) continue;
    const text = await readFile(place, 'utf8');
    const part = writtenEndpoints(text, place).findIndex(({ name }) => name === endpoint);
    if (part === -1) continue;
    const language = place.endsWith('.json') ? 'json' : 'yaml';
    const { body } = await readDraft({ text, part, folder, language, target: 'local' });
    return { file: place, settings: body };
  }
  return undefined;
}
