import { isEnvironmentName, PRODUCTION } from '../../../../contract/environmentNames.ts';
import { nodeAt } from '../text/locate.ts';
import type { ManifestNode, ScalarNode } from '../text/node.ts';
import type { ManifestLanguage } from '../text/parsed.ts';
import { mergePatch, membersOf } from './mergePatch.ts';
import { parseManifestFile } from '../text/parse.ts';
import type { Path } from '../../../../contract/violation.ts';

/** Name of the field with the environments. */
export const ENVIRONMENTS = 'x-environments';

/** An environment of a manifest. */
export interface ManifestEnvironment {
  readonly name: string;
  /** Host or name of its connection. Undefined: the current connection. */
  readonly connection: string | undefined;
  readonly production: boolean;
  /** Undefined if nothing differs, or if the patch is not a map. */
  readonly patch: ManifestNode | undefined;
}

/** Returns the environments with valid names, in the order of the text, even of a manifest with errors. */
export function environmentsOf(root: ManifestNode | undefined): readonly ManifestEnvironment[] {
  const all = nodeAt(root, [ENVIRONMENTS]);
  if (all?.kind !== 'map') return [];
  return [...membersOf(all)].flatMap(([name, { value }]) => {
    if (!isEnvironmentName(name)) return [];
    const connection = scalarAt(value, 'connection');
    const patch = nodeAt(value, ['patch']);
    return {
      name,
      connection: typeof connection === 'string' && connection !== '' ? connection : undefined,
      production: name === PRODUCTION || scalarAt(value, 'production') === true,
      patch: patch?.kind === 'map' ? patch : undefined,
    };
  });
}

function scalarAt(node: ManifestNode, field: string): ScalarNode['value'] | undefined {
  const found = nodeAt(node, [field]);
  return found?.kind === 'scalar' ? found.value : undefined;
}

/** Returns the tree of the manifest as an environment has it. Its nodes keep their places in the text. */
export function manifestIn({ patch }: ManifestEnvironment, root: ManifestNode | undefined): ManifestNode | undefined {
  if (root?.kind !== 'map') return root;
  const merged = patch ? mergePatch(root, patch) : root;
  const members = merged.kind === 'map' ? [...membersOf(merged).values()] : [];
  return { ...root, members: members.filter(({ key }) => key !== ENVIRONMENTS), merged: [] };
}

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

/** The manifest that a path belongs to: the one of an environment inside its patch, or else the one of the file. */
interface Scope {
  readonly root: ManifestNode | undefined;
  /** Path in that manifest. */
  readonly path: Path;
  /** Path of the patch in the file. Empty outside patches. */
  readonly prefix: Path;
}

/** Returns the manifest that a path of a file belongs to, with its path there. */
export function scopeOf(root: ManifestNode | undefined, path: Path): Scope {
  const [first, name, field, ...inner] = path;
  const isInPatch = first === ENVIRONMENTS && field === 'patch';
  const environment = isInPatch ? environmentsOf(root).find((one) => one.name === name) : undefined;
  if (!environment) return { root, path, prefix: [] };
  return { root: manifestIn(environment, root), path: inner, prefix: path.slice(0, 3) };
}
