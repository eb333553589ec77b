import { languageOf, openManifests } from './manifestFiles.ts';
import { parseManifestFile } from './model/manifestFile.ts';

/** Returns the GPU pools of the manifests that are open in the editor. */
export function readWantedPools(): readonly string[] {
  const parts = openManifests().flatMap(
    (document) => parseManifestFile(document.getText(), languageOf(document.uri)).parts,
  );
  return parts.flatMap(({ value }) => {
    const { gpu } = (value ?? {}) as { readonly gpu?: { readonly pools?: unknown } | null };
    return Array.isArray(gpu?.pools) ? gpu.pools.filter((pool) => typeof pool === 'string') : [];
  });
}
