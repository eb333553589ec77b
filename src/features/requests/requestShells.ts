import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { ShownTree, TreeShell } from '../../kit/trees.ts';

/** Scheme of the documents that show responses. */
export const RESPONSE_SCHEME = 'cloud-compute-response';
/** Name of the stored requests of a connection. */
export const HISTORY_NAME = 'routes.recent';

/** Documents and views that are registered before the code of requests is loaded. */
export interface RequestShells {
  readonly responses: DocumentShell;
  readonly view: { readonly tree: TreeShell<RequestNode>; readonly shown: ShownTree<RequestNode> };
}

/** Row of the requests view, which is the target of commands. */
export interface RequestNode {
  readonly kind: 'request';
  readonly requestId: string;
}

export function isRequestNode(value: unknown): value is RequestNode {
  return (value as RequestNode | undefined)?.kind === 'request';
}
