/** Row of the requests view, which is the target of commands. */
export interface RequestNode {
  readonly kind: 'request';
  readonly requestId: string;
}

export function isRequestNode(value: unknown): value is RequestNode {
  return (value as RequestNode | undefined)?.kind === 'request';
}
