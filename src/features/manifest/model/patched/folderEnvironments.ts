import { parseManifestFile } from '../text/parse.ts';
import type { ManifestLanguage } from '../text/parsed.ts';
import { environmentsOf } from './environmentsOf.ts';

/** An environment that manifests of a folder have. */
export interface FolderEnvironment {
  readonly name: string;
  /** Whether it is one of production in any manifest. */
  readonly production: boolean;
  /** Different connections that the manifests name. */
  readonly connections: readonly string[];
}

export interface TextFile {
  readonly language: ManifestLanguage;
  readonly content: { readonly text: string } | { readonly unreadable: unknown };
}

/** Returns the environments of all manifests, those with errors included, in the order of the files. */
export function folderEnvironments(files: readonly TextFile[]): readonly FolderEnvironment[] {
  const all = files.flatMap(({ content, language }) =>
    'text' in content
      ? parseManifestFile(content.text, language).parts.flatMap(({ root }) => environmentsOf(root))
      : [],
  );
  return [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => ({
    name,
    production: same.some(({ production }) => production),
    connections: [...new Set(same.flatMap(({ connection }) => connection ?? []))],
  }));
}
