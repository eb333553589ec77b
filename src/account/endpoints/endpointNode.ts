import { idPart } from '../../text/ids.ts';

/** Target of a command. It contains only IDs, so that the command acts on current data. */
export type EndpointNode =
  | { readonly kind: 'endpoint'; readonly endpointId: string }
  | { readonly kind: 'worker'; readonly endpointId: string; readonly workerId: string };

/** A row of the endpoints view. */
export type TreeNode =
  | EndpointNode
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'releases'; readonly endpointId: string }
  | { readonly kind: 'release'; readonly endpointId: string; readonly releaseId: string }
  /** Reports why the workers of an endpoint could not be read. */
  | { readonly kind: 'problem'; readonly endpointId: string };

/**
 * Returns the ID of a node. IDs are stable across refreshes and arrangements, so rows neither collapse nor jump. They are unique for
 * any IDs that the platform assigns. They cannot contain a link, because VS Code can show an ID in a message.
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

/** Returns whether a command's argument is an endpoint or a worker of this view. */
export function isEndpointNode(value: unknown): value is EndpointNode {
  const kind = (value as EndpointNode | undefined)?.kind;
  return kind === 'endpoint' || kind === 'worker';
}
