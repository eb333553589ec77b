import type { ReferenceKind } from '../../../contract/referenceRules.ts';
import type { Path } from '../../../contract/violation.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';
import { itemsAt, stepAt, type Step } from './text/locate.ts';
import type { ManifestNode, ScalarNode } from './text/node.ts';

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
  const of = (kind: ManifestReferenceKind, path: Path) => referenceAt(kind, stepAt(root, path));
  const mounts = (kind: 'network' | 'global') =>
    itemsAt(root, ['mounts', kind]).flatMap((item) => referenceAt(`${kind} volume`, stepAt(item, ['volumeId'])));
  return [
    ...of('registry', ['registry']),
    ...of('template', ['templateId']),
    ...itemsAt(root, ['networkVolumes']).flatMap((item) => referenceAt('network volume', item)),
    ...mounts('network'),
    ...mounts('global'),
  ];
}

function referenceAt(kind: ManifestReferenceKind, step: Step | undefined): WrittenReference[] {
  const node = step?.node;
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || node.value === '') return [];
  return [{ kind, id: node.value, node, shared: step?.shared === true }];
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
