import { idPart } from '../../vscode/text/idPart.ts';

/** What commands act on: an address, never the data itself, so that they act on what is true now. */
export type EndpointNode =
  | { readonly kind: 'endpoint'; readonly endpointId: string }
  | { readonly kind: 'worker'; readonly endpointId: string; readonly workerId: string };

/** A row of the endpoints view. */
export type TreeNode =
  | EndpointNode
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'releases'; readonly endpointId: string }
  | { readonly kind: 'release'; readonly endpointId: string; readonly releaseId: string }
  /** Stands where the children of an endpoint would, and says why they are not there. */
  | { readonly kind: 'problem'; readonly endpointId: string };

/**
 * Stable across refreshes and arrangements, so that nothing collapses or jumps. No two nodes have the same one, whatever the ids of the
 * platform are. VS Code can show it in a message: it cannot contain a link.
 */
export function nodeId(node: TreeNode): string {
  if (node.kind === 'group') return `group:${idPart(node.group)}`;
  const endpoint = idPart(node.endpointId);
  switch (node.kind) {
    case 'endpoint':
      return endpoint;
    case 'worker':
      return `${endpoint}/workers/${idPart(node.workerId)}`;
    case 'release':
      return `${endpoint}/releases/${idPart(node.releaseId)}`;
    case 'releases':
    case 'problem':
      return `${endpoint}/${node.kind}`;
  }
}

/** Whether a command's argument is an endpoint or a worker of this view. */
export function isEndpointNode(value: unknown): value is EndpointNode {
  const kind = (value as EndpointNode | undefined)?.kind;
  return kind === 'endpoint' || kind === 'worker';
}
