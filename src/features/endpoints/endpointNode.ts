/** A node of the endpoints view: an address, never the data itself, so that commands act on what is true now. */
export type EndpointNode =
  | { readonly kind: 'endpoint'; readonly endpointId: string }
  | { readonly kind: 'worker'; readonly endpointId: string; readonly workerId: string };

/** Stable across refreshes, so that nothing collapses or jumps. */
export function nodeId(node: EndpointNode): string {
  return node.kind === 'endpoint' ? node.endpointId : `${node.endpointId}/${node.workerId}`;
}

/** Whether a command's argument is a node of this view. */
export function isEndpointNode(value: unknown): value is EndpointNode {
  const kind = (value as EndpointNode | undefined)?.kind;
  return kind === 'endpoint' || kind === 'worker';
}
