import { idPart } from '../../../text/ids.ts';

/** Groups of the view, in order. */
export const GROUPS = ['publicModels', 'registries', 'templates', 'networkVolumes'] as const;
export type Group = (typeof GROUPS)[number];

/** A row of the resources view. It identifies a resource and contains no data, so that commands use the current data. */
export type ResourceNode =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'resource'; readonly group: Group; readonly id: string }
  /** Replaces the resources of an empty group. It shows the reason and runs a remedy on click. */
  | { readonly kind: 'notice'; readonly group: Group };

/**
 * Returns an ID that is stable across refreshes, so that the tree keeps its state. VS Code can show IDs in messages, so an ID cannot
 * contain a link.
 */
export function nodeId(node: ResourceNode): string {
  return node.kind === 'resource' ? `${node.group}/${idPart(node.id)}` : `${node.kind}:${node.group}`;
}

/** Returns whether a command's argument is a resource of this view. */
export function isResource(value: unknown): value is Extract<ResourceNode, { kind: 'resource' }> {
  const node = value as Partial<ResourceNode> | undefined;
  return node?.kind === 'resource' && GROUPS.some((group) => group === node.group);
}
