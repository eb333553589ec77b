import { idPart } from '../../vscode/text/idPart.ts';

/** What the view lists, in this order. */
export const GROUPS = ['registries', 'templates', 'networkVolumes'] as const;
export type Group = (typeof GROUPS)[number];

/** A row of the resources view: an address, never the data itself, so that commands act on what is true now. */
export type ResourceNode =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'resource'; readonly group: Group; readonly id: string }
  /** Stands where the resources of a group would, says why there are none, and does what helps when it is clicked. */
  | { readonly kind: 'notice'; readonly group: Group };

/** Stable across refreshes, so that nothing collapses or jumps. VS Code can show it in a message: it cannot contain a link. */
export function nodeId(node: ResourceNode): string {
  return node.kind === 'resource' ? `${node.group}/${idPart(node.id)}` : `${node.kind}:${node.group}`;
}

/** Whether a command's argument is a resource of this view. */
export function isResource(value: unknown): value is Extract<ResourceNode, { kind: 'resource' }> {
  const node = value as Partial<ResourceNode> | undefined;
  return node?.kind === 'resource' && GROUPS.some((group) => group === node.group);
}
