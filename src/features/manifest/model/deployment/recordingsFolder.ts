import path from 'node:path';

const MANIFEST_SUFFIX = /(?:\.endpoint)?\.(?:ya?ml|json)$/;
/** Ending of the names of folders with the recordings of manifests. */
export const RECORDINGS_SUFFIX = '.recordings';

/** Returns the folder with the recordings of a manifest and the verdicts of its gate. @param manifest path of the manifest */
export function recordingsFolder(manifest: string): string {
  const name = path.basename(manifest).replace(MANIFEST_SUFFIX, '');
  return path.join(path.dirname(manifest), `${name}${RECORDINGS_SUFFIX}`);
}
