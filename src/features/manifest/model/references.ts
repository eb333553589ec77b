import type { ReferenceKind } from '../../../contract/referenceRules.ts';
import type { Path } from '../../../contract/violation.ts';
import type { LiveValues } from './liveValues.ts';
import { nodeAt, stepsTo } from './locate.ts';
import type { ManifestNode, ScalarNode } from './node.ts';

/* IDs in a manifest that refer to resources of the account. */

export type ManifestReferenceKind = ReferenceKind | 'template';

export interface Reference {
  readonly kind: ManifestReferenceKind;
  readonly id: string;
}

/** IDs that the platform does not have, and templates that are not for serverless endpoints. */
export interface MissingReferences {
  readonly missing: readonly Reference[];
  readonly podTemplates: readonly string[];
}

/** A reference, and the node that it is written in. */
export interface WrittenReference extends Reference {
  readonly node: ScalarNode;
  /** Whether the node is written elsewhere, at an anchor. */
  readonly shared: boolean;
}

/** Returns the references in a tree, even in one of a text with errors. */
export function referencesIn(root: ManifestNode | undefined): WrittenReference[] {
  const at = (kind: ManifestReferenceKind, path: Path): WrittenReference[] => {
    const step = stepsTo(root, path)[path.length];
    const node = step?.node;
    if (node?.kind !== 'scalar' || typeof node.value !== 'string' || node.value === '') return [];
    return [{ kind, id: node.value, node, shared: step?.shared === true }];
  };
  const each = (list: Path, of: (index: number) => WrittenReference[]): WrittenReference[] => {
    const node = nodeAt(root, list);
    return node?.kind === 'list' ? node.items.flatMap((_, index) => of(index)) : [];
  };
  const mounts = (kind: 'network' | 'global') =>
    each(['mounts', kind], (index) => at(`${kind} volume`, ['mounts', kind, index, 'volumeId']));
  return [
    ...at('registry', ['registry']),
    ...at('template', ['templateId']),
    ...each(['networkVolumes'], (index) => at('network volume', ['networkVolumes', index])),
    ...mounts('network'),
    ...mounts('global'),
  ];
}

/** Returns the resources of a kind. Undefined if the list has not been read. */
export function listOf(
  values: LiveValues,
  kind: ManifestReferenceKind,
): readonly { readonly id: string; readonly name: string }[] | undefined {
  switch (kind) {
    case 'registry':
      return values.registries;
    case 'template':
      return values.templates;
    case 'network volume':
      return values.networkVolumes;
    case 'global volume':
      return values.globalVolumes;
  }
}
