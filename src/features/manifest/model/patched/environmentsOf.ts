import { isEnvironmentName, PRODUCTION } from '../../../../contract/environmentNames.ts';
import { nodeAt } from '../text/locate.ts';
import type { ManifestNode, ScalarNode } from '../text/node.ts';
import { mergePatch, membersOf } from './mergePatch.ts';

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
